// thread_pointer.h — the register that finds a thread's TLS block.
//
// Thread safety: any thread, each about itself.

#pragma once

namespace heddle::platform {

// Where the calling strand's TLS block and glibc's thread descriptor are.
inline char* thread_pointer() noexcept {
  return static_cast<char*>(__builtin_thread_pointer());
}

// Makes another TLS block that of the calling strand; returns the one before. The caller keeps nothing of
// that, such as an address of a thread_local. Safe in signal handlers.
char* exchange_thread_pointer(char* thread_pointer) noexcept;

// True if user code may set the register without a system call (x86_64: wrfsbase).
bool can_set_thread_pointer() noexcept;

}  // namespace heddle::platform
