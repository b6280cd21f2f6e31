// words.h — what the hosts of a job say to each other in the watch. The first word of a connection:
//
//    0        8        16     20       24         88
//    | magic  | key    | host | unused | node … 0 |        from the host that connects
//    | magic  | key    | 0    | unused | node … 0 |        the answer, by which it knows host 0
//
// and after that:
//
//    0      1        2       4      8       16      24        32      40         48
//    | kind | status | bytes | host | round | given | handled | steps | answered | text, so many bytes
//
// What the last six say: runtime/deadlock_over_hosts.h. Words of an end have none of it, and are the last ones.
//
// Integers in the byte order of the machine: x86-64 only. Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::watch {

struct Hello {
  static constexpr std::uint64_t kMagic = 0x31'68'63'74'61'77'68'00;

  std::uint64_t magic = kMagic;
  std::uint64_t key = 0;
  std::int32_t host = 0;
  std::int32_t unused = 0;
  char node[64] = {};
};
static_assert(sizeof(Hello) == 88);

enum class Kind : std::uint8_t {
  kFarewell = 1,  // the sender ends in order
  kAborts = 2,    // the sender has said why the job ends, with this status
  kEnd = 3,       // from host 0: the job ends with this status, and the reason was said
  kStill = 4,     // to host 0: the sender stands still, with these counts
  kAsk = 5,       // from host 0: does it, still?
  kSay = 6,       // from host 0: for what do its ranks wait?
  kLines = 7,     // to host 0: the answer
};

struct Word {
  Kind kind = Kind::kFarewell;
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
