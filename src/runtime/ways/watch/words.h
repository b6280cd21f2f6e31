// words.h — what the hosts of a job say to each other in the watch, once they have greeted each
// other (net/door/greeting.h):
//
//    0      1        2       4      8       16      24        32      40         48
//    | kind | status | bytes | host | round | given | handled | steps | answered | `bytes` of text
//
// What the last six say: runtime/judge/deadlock_over_hosts.h. Words of an end have none of it, and
// are the last ones.
//
// Integers in the byte order of the machine: x86-64 only. Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::watch {

enum class WordKind : std::uint8_t {
  kFarewell = 1,   // the sender ends in order
  kAborts = 2,     // the sender has said why the job ends, with this status
  kEnd = 3,        // from host 0: the job ends with this status, and the reason was said
  kStill = 4,      // to host 0: the sender stands still, with these counts
  kAsk = 5,        // from host 0: does it, still?
  kSay = 6,        // from host 0: for what do its ranks wait?
  kLines = 7,      // to host 0: the answer
  kLeftEarly = 8,  // to host 0, and from it to all: a rank ended with 0 without MPI_Finalize
};

struct Word {
  WordKind kind = WordKind::kFarewell;
  std::uint8_t status = 0;
  std::uint16_t bytes = 0;
  std::int32_t host = 0;
  std::uint64_t round = 0;
  std::uint64_t given = 0, handled = 0;
  std::uint64_t steps = 0, answered = 0;
};
static_assert(sizeof(Word) == 48);
constexpr std::size_t kLongestText = 4096;

}  // namespace heddle::watch
