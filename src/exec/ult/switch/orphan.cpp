#include "exec/ult/switch/orphan.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bitset>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "base/platform/thread_pointer.h"
#include "base/sanitizer.h"
#include "base/standing.h"
#include "exec/ult/switch/rseq.h"

extern "C" {
void heddle_orphan_park(void** frame) noexcept;
long heddle_orphan_revive(long flags, void* frame, int* tid, void* thread_pointer) noexcept;
}

namespace heddle::ult {

namespace {

// Keeps the calling kernel thread where it is for a scope, and with it the threads that it makes:
// they start when this one waits for them, without a wake-up of another core (60 us here). Its
// strand does not go away meanwhile: it may hold locks of libc that the next pthread_create needs
// (decision 70).
class StayHere {
 public:
  StayHere() noexcept {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0 || CPU_COUNT(&before_) < 2) return;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    moved_ = sched_setaffinity(0, sizeof here, &here) == 0;
  }
  ~StayHere() {
    if (moved_) sched_setaffinity(0, sizeof before_, &before_);
  }
  StayHere(StayHere&&) = delete;

 private:
  const Within<Standing::kSection> section_;
  cpu_set_t before_;
  bool moved_ = false;
};

// The result of learn_layout; constant afterwards.
struct Layout {
  std::size_t tid_offset = 0;  // of the thread id that glibc keeps, from the thread pointer
  std::size_t stack_used = 0;  // from the top of a thread's stack to its start routine's frame
  void (*call_tls_destructors)() = nullptr;
};
Layout layout;

// Above every id of a kernel thread (PID_MAX_LIMIT is 2^22) and inside what mutexes keep of it.
std::atomic<int> next_thread_id{1 << 28};

// The words of the calling thread's descriptor that hold its kernel id. Others than glibc's may do
// so by chance: the upper half of a pointer is 0x7fxx, and ids are often below 0x8000.
constexpr std::size_t kDescriptorWords = 512;  // struct pthread has 576 in glibc 2.36
using Words = std::bitset<kDescriptorWords>;
Words words_with_tid() noexcept {
  const int tid = static_cast<int>(syscall(SYS_gettid));
  Words words;
  for (std::size_t i = 0; i < kDescriptorWords; ++i)
    words[i] = std::memcmp(platform::thread_pointer() + i * sizeof tid, &tid, sizeof tid) == 0;
  return words;
}

// Where the calling thread and another, which has found `others`, agree; 0: nowhere.
std::size_t find_tid_offset(const Words& others) noexcept {
  const Words both = words_with_tid() & others;
  for (std::size_t i = 0; i < kDescriptorWords; ++i)
    if (both[i]) return i * sizeof(int);
  return 0;
}

void* probe(void* words) {
  *static_cast<Words*>(words) = words_with_tid();
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const char* top = static_cast<char*>(low) + bytes;
  layout.stack_used =
      static_cast<std::size_t>(top - static_cast<char*>(__builtin_frame_address(0)));
  return nullptr;
}

}  // namespace

bool Orphan::learn_layout(const char** reason) noexcept {
  if (layout.tid_offset != 0) return true;
  // Private to glibc, but exported; where it is missing the revived thread runs the destructors.
  layout.call_tls_destructors =
      reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "__call_tls_dtors"));
  pthread_t thread;
  Words words;
  if (platform::start_own_thread({"heddle-probe", probe, &words}, &thread) != 0) {
    *reason = "no kernel thread could be created";
    return false;
  }
  pthread_join(thread, nullptr);
  layout.tid_offset = find_tid_offset(words);
  if (layout.tid_offset != 0) return true;
  *reason = "this C library keeps thread ids in an unknown place";
  return false;
}

std::size_t Orphan::overhead() noexcept {
  constexpr std::size_t kParkedFrame = 1 << 10;
  return layout.stack_used + kParkedFrame + kParkedGap;
}

int Orphan::create(void* stack_low, std::size_t stack_bytes) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = pthread_attr_setstack(&attributes, stack_low, stack_bytes);
  StayHere stay;
  // A signal must not run a handler on a stack whose thread is about to vanish.
  sigset_t all;
  sigfillset(&all);
  if (error == 0) error = pthread_attr_setsigmask_np(&attributes, &all);
  if (error == 0) error = pthread_create(&thread_, &attributes, &Orphan::thread_main, this);
  pthread_attr_destroy(&attributes);
  if (error == 0) wait_for_its_end();
  return error;
}

void* Orphan::thread_main(void* orphan) {
  static_cast<Orphan*>(orphan)->become_orphan();
  return nullptr;  // in the revived thread, into glibc's start_thread
}

void Orphan::become_orphan() noexcept {
  thread_pointer_ = platform::thread_pointer();
  unregister_rseq();
  // glibc takes the id for the owner of recursive mutexes, so it must stay unique.
  const int id = next_thread_id.fetch_add(1, std::memory_order_relaxed);
  std::memcpy(platform::thread_pointer() + layout.tid_offset, &id, sizeof id);
  tsan_release(this);
  syscall(SYS_set_tid_address, &kernel_thread_);
  heddle_orphan_park(&parked_frame_);
}

void Orphan::wait_for_its_end() noexcept {
  // acquire: the kernel writes 0 after everything the thread wrote.
  while (kernel_thread_.load(std::memory_order_acquire) != 0) {
    platform::futex_wait_for_kernel(kernel_thread_, 1);
  }
  tsan_acquire(this);
}

void Orphan::revive_and_join() noexcept {
  constexpr long kFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                          CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  auto* tid = reinterpret_cast<int*>(static_cast<char*>(thread_pointer_) + layout.tid_offset);
  StayHere stay;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  long id = 0;
  // Out of threads or memory is passing trouble of others; nothing sensible can be done without.
  while ((id = heddle_orphan_revive(kFlags, parked_frame_, tid, thread_pointer_)) == -EAGAIN ||
         id == -ENOMEM) {
    sched_yield();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  assert(id > 0);
  // pthread_join is where a cancelled thread would leave.
  int cancelling = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
  [[maybe_unused]] const int error = pthread_join(thread_, nullptr);
  pthread_setcancelstate(cancelling, nullptr);
  assert(error == 0 && "somebody has detached or joined what only the ult may");
}

void run_thread_local_destructors() noexcept {
  if (layout.call_tls_destructors != nullptr) layout.call_tls_destructors();
}

}  // namespace heddle::ult
