// thread_pointer.h — the register that finds a thread's TLS block.
//
// Thread safety: any thread, each about itself.

#pragma once

namespace heddle::platform {

// Where the calling strand's TLS block and glibc's thread descriptor are.
inline char* thread_pointer() noexcept {
  return static_cast<char*>(__builtin_thread_pointer());
}

// True if user code may set the register without a system call (x86_64: wrfsbase).
bool can_set_thread_pointer() noexcept;

}  // namespace heddle::platform
