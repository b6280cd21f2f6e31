// witness.h — what the judge of deadlocks knows of the other processes of the job, when its own one
// stands still (deadlock.h).
//
//   BoardWitness (deadlock_between.h)      of one process, or of those that share a board
//   StillHosts (deadlock_over_hosts.h)     of hosts that a network leads to
//
// Thread safety: judge() one thread at a time; question() any.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/platform/futex.h"
#include "runtime/judge/still_rounds.h"

namespace heddle::runtime {

class Witness {
 public:
  // The number of the last question that was put to waits that ask. It stays. What answers a
  // question must have been measured after it was heard of: so the judge reads this before its
  // first look.
  virtual const std::atomic<std::uint64_t>& question() const noexcept = 0;

  // P2 to P5 hold in this process, which stood still after the question `word.round`. Returns true
  // if all others stand still, too, and this process is to end the job; `lines` are its own and
  // those of the others. Takes no memory before the proof is complete.
  virtual bool judge(const StillWord& word, std::string (*own_lines)(), std::string* lines) = 0;

  // After judge(): when it must be called again, since this process has something to say then if it
  // stands still. kNever: it need not.
  virtual std::int64_t next_look_ns() const noexcept { return platform::kNever; }

 protected:
  ~Witness() = default;
};

}  // namespace heddle::runtime
