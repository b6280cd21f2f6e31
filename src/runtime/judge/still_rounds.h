// still_rounds.h — host 0's rounds: whether all hosts of a job stood still at one moment with
// nothing under way between them (deadlock_over_hosts.h has the way of the reports).
//
//   each host  reports, by itself, when it stands still: what it has given to the network and
//              handled of it (its first word)
//   host 0     has a word of each host, and the sums of given and of handled are equal: asks all
//              (round r)
//   each host  reports again, once it has heard that and stands still (its second word)
//   host 0     has a second word of each, equal to its first one: the proof
//
// Why (Mattern's two equal rounds): all first words were said before the question, all second ones
// after it. Let T be the moment of the last first word. Numbers only grow, and nothing is handled
// that was not given:
//
//   handled in the first words <= handled at T <= given at T <= given in the second words
//                                                            =  given in the first ones
//
// The ends are equal, so all four are. So nothing was under way at T; and no host has handled
// anything between its first word and T. A host that stands still goes on only when it handles
// something (deadlock.h, P2 to P5). So all stood still at T.
//
// Words that differ from the first ones end the round; what they say counts as first words of the
// next one. A word of an earlier round is none of this one, but if it says other numbers than the
// first one the round ends, too.
//
// Where a wait asks (exec/ult/stillness.h, AskingWait), it may end without anything that is
// counted. So a word says how many steps the ults of its host have taken, too: equal numbers say
// that it stood still from its first word to its second one. And a second word says that each of
// its waits that ask has asked in this round and was answered: after all first words, before any
// host could have gone on after its second one. What it asked for was the same all the time, and
// stays so.
//
// A round begins when all hosts have answered the one before. So a host that runs, or is stopped,
// is asked once, however many words the others say meanwhile.
//
// Processes of one node need no words, since each sees the numbers of all at one moment
// (deadlock_between.h), and one process does so anyway. There the round is an OwnRound: the second
// of two moments with equal numbers, if each wait that asks was answered between them.
//
// Thread safety: plain data. Several OwnRounds may put questions at once: each waits for the number
// that it has given.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/ult/stillness.h"
#include "net/transport/transport.h"

namespace heddle::runtime {

// What a host says that stands still.
struct StillWord {
  std::uint64_t round = 0;  // the last one that it has heard of; 0: none
  transport::Traffic traffic;
  std::uint64_t steps = 0;
  std::uint64_t answered = kNothingIsAsked;  // in which round each wait that asks has done so last
  std::uint64_t rings = 0;  // rings_before_sleep() of a process that sleeps at a bell

  static constexpr std::uint64_t kNothingIsAsked = ult::NotedCounts::kNothingIsAsked;

  bool is_answer() const noexcept { return answered >= round; }
  bool has_numbers_of(const StillWord& other) const noexcept {
    return traffic == other.traffic && steps == other.steps;
  }
};

class OwnRound {
 public:
  // The number of the last question, which stays. Waits that ask look at it.
  explicit OwnRound(std::atomic<std::uint64_t>& question) noexcept : question_(question) {}

  // Called at a moment at which all stood still, with nothing under way. True: it is the proof;
  // else it may have put a question.
  bool is_proven(std::uint64_t steps, std::uint64_t answered) noexcept;

 private:
  std::atomic<std::uint64_t>& question_;
  std::uint64_t number_ = 0;  // that it has put; 0: none
  std::uint64_t steps_ = 0;   // at that moment
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
  bool all_asked() const noexcept;

  std::vector<Host> hosts_;
  std::uint64_t round_ = 0;
  bool asks_ = false;  // the round is under way: each `last` has the numbers of its first word
};

}  // namespace heddle::runtime
