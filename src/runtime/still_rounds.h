// still_rounds.h — host 0's rounds: whether all hosts of a job stood still at one moment with nothing under way between them
// (deadlock_over_hosts.h has the way of the reports).
//
//   each host   reports, by itself, when it stands still: what it has given to the network and handled of it      first word
//   host 0      has a word of each host, and the sums of given and of handled are equal: asks all                 round r
//   each host   reports again, once it has heard that and stands still                                            second word
//   host 0      has a second word of each, equal to its first one: the proof
//
// Why (Mattern's two equal rounds): all first words were said before the question, all second ones after it. Let T be the moment of
// the last first word. Numbers only grow, and nothing is handled that was not given:
//
//   handled in the first words <= handled at T <= given at T <= given in the second words = given in the first ones
//
// The ends are equal, so all four are. So nothing was under way at T; and no host has handled anything between its first word and T.
// A host that stands still goes on only when it handles something (deadlock.h, P2 to P5). So all stood still at T.
//
// Words that differ from the first ones end the round; what they say counts as first words of the next one. A word of an earlier
// round is none of this one, but if it says other numbers than the first one the round ends, too.
//
// A round begins when all hosts have answered the one before. So a host that runs, or is stopped, is asked once, however many words
// the others say meanwhile.
//
// Thread safety: plain data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/transport/transport.h"

namespace heddle::runtime {

// What a host says that stands still.
struct StillWord {
  std::uint64_t round = 0;  // the last one that it has heard of; 0: none
  transport::Traffic traffic;
};

class StillRounds {
 public:
  enum class Then : unsigned char { kNothing, kAsk, kProven };

  explicit StillRounds(int hosts) : hosts_(static_cast<std::size_t>(hosts)) {}

  // kAsk: all hosts are to hear of round(), this one too. kProven: once.
  Then take(int host, const StillWord& word) noexcept;
  std::uint64_t round() const noexcept { return round_; }

 private:
  struct Host {
    bool has_said = false;
    StillWord last;
  };

  bool is_balanced() const noexcept;
  bool all_answered() const noexcept;

  std::vector<Host> hosts_;
  std::uint64_t round_ = 0;
  bool asks_ = false;  // the round is under way: each `last` has the numbers of its first word
};

}  // namespace heddle::runtime
