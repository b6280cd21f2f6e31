// places.h — where strands are in the program, for reports of a job that ends.
//
//   a strand that waits   is alerted (exec/ult/alert.h): it says what it waits for, unwinds its own
//                         stack as far as the program's code, and stands still until the job ends
//   one that runs         is interrupted by a signal and unwinds in the handler; it goes on. Only at
//                         the end of a job's time (time_limit.h)
//
// Each writes what only it may read of itself, so no proof is needed that it stands still.
// (deadlock_report.h, which has one, reads what strands have noted.)
//
// Thread safety: one thread, once in a process; the strands may run.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::ult {
class Ult;
}

namespace heddle::crash {
class Symbols;
}

namespace heddle::runtime {

// The calls in the program in which a strand waits, the innermost one first.
struct Calls {
  static constexpr int kMost = 16;
  int count = 0;
  std::array<std::uintptr_t, kMost> places{};

  // Returns true if there is room for more.
  bool add(std::uintptr_t call) noexcept {
    places[static_cast<std::size_t>(count++)] = call;
    return count < kMost;
  }
  // Adds those of the calling strand, which may be in a signal handler.
  void find() noexcept;
};
// ", called by work (ring.c:31)". Requires that there is one.
std::string place_of(const Calls& calls, const crash::Symbols& symbols);

// In the order of the strands.
struct Places {
  std::vector<Calls> calls;        // none: not found
  std::vector<std::string> words;  // what the strand is doing; empty: it has not answered
};

// Strands that all wait. One that does not answer in time has no place.
Places ask_for_places(const std::vector<ult::Ult*>& ults);

// `with_ults` calls its argument with the list of them while none can be freed; null: it has ended.
// The list always has `count` elements.
using WithUlts = std::function<void(const std::function<void(const std::vector<ult::Ult*>&)>& use)>;
Places insist_on_places(std::size_t count, const WithUlts& with_ults);

}  // namespace heddle::runtime
