// help.h — what an idle worker does for the work that others share (shared_work.h).
//
// Thread safety: any strand.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform/cpu.h"

namespace heddle::ult {

// A bit for each place whose work wants more helpers. Idle workers read it all the time, so it has a
// line of its own, and is written only when a strand starts to want help or no longer does.
struct alignas(platform::kCacheLine) WantedHelp {
  std::atomic<std::uint32_t> places{0};
};
extern constinit WantedHelp wanted_help;

inline bool help_is_wanted() noexcept {
  // relaxed: a hint; who joins looks at the place itself.
  return wanted_help.places.load(std::memory_order_relaxed) != 0;
}

// Whether a worker of this NUMA node is wanted, for one that has just been listed as a sleeper: seq_cst,
// as the one that wishes for help and then looks for sleepers, so that one of the two sees the other.
bool help_is_wanted_by_now(int numa_node) noexcept;

struct Place;

// A stay at a place: joins one of this NUMA node, if there still is one that wants help, and leaves it in
// the end.
class Help {
 public:
  explicit Help(int numa_node) noexcept;
  ~Help();
  Help(const Help&) = delete;
  Help& operator=(const Help&) = delete;

  // False: none is left, one was given back, or it has joined no place.
  bool do_part() noexcept;

 private:
  // False: a crash has interrupted it.
  bool try_part(std::uint32_t part) noexcept;

  Place* place_ = nullptr;
};

}  // namespace heddle::ult
