// places.h — where strands are in the program that may run, for the report at the end of a job's
// time (time_limit.h).
//
//   a strand that waits   is alerted (exec/ult/alert.h): it says what it waits for, unwinds its own
//                         stack as far as the program's code, and stands still until the job ends
//   one that runs         is interrupted by a signal and unwinds in the handler; it goes on
//
// Each writes what only it may read of itself, so no proof is needed that it stands still.
// (deadlock_report.h, which has one, reads what strands have noted.)
//
// Thread safety: one thread, once in a process; the strands may run.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/deadlock_report.h"

namespace heddle::ult {
class Ult;
}

namespace heddle::runtime {

// In the order of the strands.
struct Places {
  std::vector<Calls> calls;        // none: not found
  std::vector<std::string> words;  // what the strand is doing; empty: it has not answered
};

// `with_ults` calls its argument with the list of them while none can be freed; null: it has ended.
// The list always has `count` elements.
using WithUlts = std::function<void(const std::function<void(const std::vector<ult::Ult*>&)>& use)>;
Places insist_on_places(std::size_t count, const WithUlts& with_ults);

}  // namespace heddle::runtime
