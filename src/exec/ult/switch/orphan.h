// orphan.h — a TLS block without a kernel thread (x86_64, glibc).
//
// glibc's pthread_create builds a TLS block, with everything that glibc, the compiler's runtime and
// the sanitizers keep there. Then the kernel thread ends by a raw system call that glibc does not
// see, and leaves the block behind, fully alive, for a ult to use:
//
//   state      meaning                                leaves by
//   ---------  -------------------------------------  ---------------------------------------
//   starting   inside create()                        the kernel thread parks its frame, ends
//   orphaned   no kernel thread, create() returned    revive_and_join
//   revived    a new kernel thread continues the      it returns into glibc, which runs key
//              parked frame in glibc's start_thread   destructors and frees its caches
//   joined     pthread_join has freed the block
//
// The stack of the pthread and of the ult are one mapping (a thread's stack as glibc, ASan and
// TSan know it); the ult starts kParkedGap below the parked frame:
//
//   low | guard | ... ult's stack ... | gap | parked frame | TLS block, struct pthread | (Ult)
//
// Rejected: a parked kernel thread for each ult (22 KB of kernel memory each), _dl_allocate_tls
// (static TLS of libraries loaded later stays uninitialized). See docs/decisions/.
//
// Thread safety: create and revive_and_join once each, by any strand.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::ult {

class Orphan {
 public:
  // Finds out how this glibc lays out its thread descriptor. Once, before the first create().
  // Returns false if this glibc cannot be used so, with a reason.
  static bool learn_layout(const char** reason) noexcept;

  // Bytes that glibc, the parked frame and the gap take from a stack.
  static std::size_t overhead() noexcept;

  // Fills the block at the top of the stack and returns when its kernel thread has ended, after
  // some 30 us. Returns an errno, 0 on success.
  int create(void* stack_low, std::size_t stack_bytes) noexcept;

  pthread_t thread() const noexcept { return thread_; }
  void* thread_pointer() const noexcept { return thread_pointer_; }
  void* ult_stack_top() const noexcept { return static_cast<char*>(parked_frame_) - kParkedGap; }

  // Ends the block as the end of a thread does. Blocks the calling kernel thread for some 40 us.
  // Requires that no worker uses the block.
  void revive_and_join() noexcept;

 private:
  // Bytes of stack that the revived thread may need while it starts; with 2 KB it crashed.
  static constexpr std::size_t kParkedGap = 8 << 10;

  static void* thread_main(void* orphan);
  void become_orphan() noexcept;
  void wait_for_its_end() noexcept;

  pthread_t thread_{};
  void* thread_pointer_ = nullptr;
  void* parked_frame_ = nullptr;
  std::atomic<std::uint32_t> kernel_thread_{1};  // the kernel writes 0 when it has ended
};

// Runs the destructors of the calling strand's thread_local objects now, as the end of a thread
// would. Later ones may still come.
void run_thread_local_destructors() noexcept;

}  // namespace heddle::ult
