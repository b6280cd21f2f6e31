// sleep.h — sleeps and yields of programs, which let their worker run others.
//
// Thread safety: any strand.

#pragma once

#include <cstdint>

namespace heddle::libc {

// A cancellation point. False: the caller must sleep by itself, because it is a kernel thread or in
// a constructor of a library. May switch.
bool sleep_until(std::int64_t deadline_ns);

// False likewise. May switch.
bool let_others_run() noexcept;

}  // namespace heddle::libc
