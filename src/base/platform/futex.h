// futex.h — sleep in the kernel until another thread says so.
//
// Thread safety: any thread. The word may be gone when futex_wake_one runs: the kernel then wakes
// no thread. So a waker need not keep the word alive after the store that lets the sleeper go.

#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::platform {

constexpr std::int64_t kNever = INT64_MAX;  // as a deadline: no deadline

// Sleeps while `word` is `expected`, until a wake, a signal or `deadline_ns` on CLOCK_MONOTONIC.
// May return early: look at the word and at the clock.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::int64_t deadline_ns = kNever) noexcept;

// Sleeps while `word` is `expected`. The kernel changes and wakes this word: at the end of a thread
// (CLEARTID).
void futex_wait_for_kernel(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

// Wakes at most one sleeper.
void futex_wake_one(std::atomic<std::uint32_t>& word) noexcept;

// futex_wait and a wake of one sleeper, for a word in memory that processes share.
void futex_wait_shared(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t deadline_ns) noexcept;
void futex_wake_shared(std::atomic<std::uint32_t>& word) noexcept;

}  // namespace heddle::platform
