#include "base/platform/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::platform {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// Callers wait in loops and look at their word, so only errno has to be kept.
void wait(std::atomic<std::uint32_t>& word, int flags, std::uint32_t expected,
          std::int64_t deadline_ns) noexcept {
  timespec deadline{};
  deadline.tv_sec = deadline_ns / kNanosecondsPerSecond;
  deadline.tv_nsec = deadline_ns % kNanosecondsPerSecond;
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | flags, expected,
          deadline_ns == kNever ? nullptr : &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  errno = saved_errno;
}

void wake(std::atomic<std::uint32_t>& word, int flags) noexcept {
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE | flags, 1, nullptr, nullptr, 0);
  errno = saved_errno;
}

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns) noexcept {
  wait(word, FUTEX_PRIVATE_FLAG, expected, deadline_ns);
}

void futex_wait_for_kernel(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  wait(word, 0, expected, kNever);  // the kernel wakes with the shared kind
}

void futex_wait_shared(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t deadline_ns) noexcept {
  wait(word, 0, expected, deadline_ns);
}

void futex_wake_one(std::atomic<std::uint32_t>& word) noexcept {
  wake(word, FUTEX_PRIVATE_FLAG);
}

void futex_wake_shared(std::atomic<std::uint32_t>& word) noexcept {
  wake(word, 0);
}

}  // namespace heddle::platform
