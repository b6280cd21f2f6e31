// help.h — how an idle worker finds shared work of other strands (shared_work.h) and does parts of
// it.
//
// Thread safety: any strand.

#pragma once

#include <atomic>
#include <cstdint>

#include "base/platform/cpu.h"

namespace heddle::ult {

// A bit for each slot whose work wants more helpers. Idle workers read it all the time, so it has a
// line of its own, and is written only when a strand starts to want help or no longer does.
struct alignas(platform::kCacheLine) WantedHelp {
  std::atomic<std::uint32_t> slots{0};
};
extern constinit WantedHelp wanted_help;

inline bool help_is_wanted() noexcept {
  // relaxed: a hint; a worker that joins looks at the slot itself.
  return wanted_help.slots.load(std::memory_order_relaxed) != 0;
}

// True if help from a worker of this NUMA node is wanted. For a worker that has just been listed as
// a sleeper. It is seq_cst, like the owner's step that asks for help and then looks for sleepers:
// one of the two sees the other.
bool help_is_wanted_by_now(int numa_node) noexcept;

struct WorkSlot;

// Joins a slot of this NUMA node, if there still is one that wants help, and leaves it when
// destroyed.
class Help {
 public:
  explicit Help(int numa_node) noexcept;
  ~Help();
  Help(Help&&) = delete;

  // Returns false if no part is left, the part was given back, or no slot was joined.
  bool do_part() noexcept;

 private:
  // Returns false if a crash has interrupted it.
  bool try_part(std::uint32_t part) noexcept;

  WorkSlot* slot_ = nullptr;
};

}  // namespace heddle::ult
