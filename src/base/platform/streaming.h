// streaming.h — long copies to where another core's cache has the lines.
//
// A plain store into such a line waits until that core gives the line up, and that core fetches it
// back when it reads. A streaming (non-temporal) store sends the line past all caches to memory,
// from where the other core reads lines in order. Measured on an AMD EPYC of family 25: ticks of
// the time-stamp counter a line for the copy, and the time until the other core has read 64 KiB:
//
//   the lines are            plain stores        streaming stores
//   -----------------------  ------------------  ------------------
//   in this core's cache     2 to 5;  1.3 us     2 to 6;  2.5 us
//   in a near core's (L3)    6 to 18; 11 us      5;       8.6 us
//   in a far core's          28 to 80; 38 us     6;       8.3 us
//
// So a copy looks first: it copies some lines by plain stores, and their time tells how the rest
// goes (docs/bench-notes/long-copies.md). A debug build takes every second look for one at a far
// core, so that tests go both ways.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/platform/cpu.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace heddle::platform {

// A core lets 64 stores or so wait while it goes on, so fewer lines would tell nothing.
constexpr std::size_t kLookedAt = std::size_t{64} * kCacheLine;

// Ticks of the time-stamp counter a line: fewer than kOthers in this core's cache, kFar and more in
// a far core's.
constexpr std::uint64_t kOthers = 6, kFar = 24;

// Copies kLookedAt bytes. Returns the ticks a line; 0 where there are no streaming stores.
inline std::uint64_t copy_and_look(std::byte* to, const std::byte* from) noexcept {
#if !defined(__x86_64__)
  std::memcpy(to, from, kLookedAt);
  return 0;
#elif defined(NDEBUG)
  const std::uint64_t begin = __builtin_ia32_rdtsc();
  std::memcpy(to, from, kLookedAt);
  return (__builtin_ia32_rdtsc() - begin) / (kLookedAt / kCacheLine);
#else
  static std::atomic<unsigned> looks{0};
  std::memcpy(to, from, kLookedAt);
  return looks.fetch_add(1, std::memory_order_relaxed) % 2 == 1 ? kFar : 0;
#endif
}

// Copies by streaming stores. Like plain ones they come before the caller's next release.
inline void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__x86_64__)
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(to) % kCacheLine;
  if (bytes < before + kCacheLine) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, before);
  std::size_t at = before;
  for (; at + kCacheLine <= bytes; at += kCacheLine) {
    const auto* const source = reinterpret_cast<const __m128i*>(from + at);
    auto* const target = reinterpret_cast<__m128i*>(to + at);
    const __m128i line[] = {_mm_loadu_si128(source), _mm_loadu_si128(source + 1),
                            _mm_loadu_si128(source + 2), _mm_loadu_si128(source + 3)};
    for (int i = 0; i < 4; ++i) _mm_stream_si128(target + i, line[i]);
  }
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

// The copies of one thread into memory that one other core reads after each of them. It looks at
// one in kLooks of those that are long enough. A near core reads short copies faster from the cache
// of this one.
class StoresForAnother {
 public:
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    std::size_t done = 0;
    if (bytes >= kLookedAt && until_look_-- == 0) {
      ticks_ = copy_and_look(to, from);
      done = kLookedAt;
      until_look_ = kLooks;
    }
    if (ticks_ >= (bytes >= kLongForNear ? kOthers : kFar)) {
      copy_past_caches(to + done, from + done, bytes - done);
    } else {
      std::memcpy(to + done, from + done, bytes - done);
    }
  }

 private:
  static constexpr int kLooks = 32;
  static constexpr std::size_t kLongForNear = 2 * kLookedAt;

  int until_look_ = 0;
  std::uint64_t ticks_ = 0;
};

}  // namespace heddle::platform
