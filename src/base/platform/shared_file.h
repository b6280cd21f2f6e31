// shared_file.h — memory without a name that processes may share: nothing is left of it when the
// last one has ended.
//
// Thread safety: any thread.

#pragma once

namespace heddle::platform {

// A descriptor of such memory, empty as yet; mode 0600, closed on exec, may be sealed. -1 and errno
// if there can be none.
int make_shared_file() noexcept;

// A descriptor of the same memory, by that of another process of this user on this machine, which
// must keep it open meanwhile. -1 and errno if the kernel refuses.
int open_shared_file(int process, int descriptor) noexcept;

}  // namespace heddle::platform
