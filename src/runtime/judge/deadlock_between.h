// deadlock_between.h — the proof of deadlock.h for a job of one process, or of several of one node
// that share a board (mpiexec --processes; job_board/job_page.h, ways/node_way.h).
//
//   process p     P2 to P5 hold here, and a thread sleeps at the bell:
//                 writes into its card what it has counted, and how often the bell had rung when
//                 that thread announced itself, and once [S]
//                 looks at all cards and bells, twice: each bell has rung as often as its card
//                 says [L]
//   the one that  sets JobPage::deadlock, and rings all bells
//   sees that     each other process stands still again, sees the flag, and puts its lines into
//                 its Post
//                 says all, and ends the job
//
// A process that stands still can be woken by another one alone, by its bell (P3 to P5 exclude the
// rest), and numbers of rings only grow. A worker that a wait's timer wakes to ask (P2) counts that
// as a ring of its own bell, before anything else that it does. So at a moment between the two
// looks all stood still. No packet was under way: its writer, which runs, rings the bell after it
// where a thread has announced itself, and that thread looks at all rings once more before it
// sleeps (base/platform/bell.h). models/still_processes.pml checks this. A message has left its
// sender's process when the sender waits or its worker has nothing to do; what waits for room in a
// ring is sent by the process that the reader's bell has woken.
//
// A process that has ended stands still for good. mpiexec says so when it has seen the end, and
// then rings all bells, so that those that sleep look again. What the process has sent is in the
// rings of the others, whose bells have rung for it.
//
// Where a wait asks, that is a first moment, and the proof is a second one (still_rounds.h,
// OwnRound): with the same steps, and each such wait was answered in between. Each process that
// sees such moments has an OwnRound; the number of the question is the job's.
//
// These are the two equal rounds of counts of Mattern's termination detection. The bells count the
// messages to those that sleep; no others need be counted.
//
// Memory order: [S] and [L] are seq_cst, with the ringers' accesses of Bell: of two processes that
// stand still last, one sees both cards.
//
// Where the job has one process there is one card and no bell, and all of this is trivial.
//
// Thread safety: the call monitor's thread, or one at a time that looks in its place.

#pragma once

#include <cstdint>
#include <string>

#include "runtime/job_board/job_board.h"
#include "runtime/judge/witness.h"
#include "runtime/ways/way.h"

namespace heddle::runtime {

class BoardWitness final : public Witness {
 public:
  // Both stay.
  BoardWitness(Way& way, const JobBoard& board) noexcept
      : way_(way), page_(board.page()), process_(board.process()), round_(page_.question) {}

  const std::atomic<std::uint64_t>& question() const noexcept override { return page_.question; }
  // If the lines of this process are wanted, and not by itself, it puts them into its Post.
  bool judge(const StillWord& word, std::string (*own_lines)(), std::string* lines) override;

 private:
  // What all have counted, where they do.
  bool all_stand_still(StillWord* all) noexcept;
  bool is_one_of_several() const noexcept { return page_.processes > 1; }
  void ring_others() noexcept;
  std::string collect(const std::string& own);

  Way& way_;
  JobPage& page_;
  const int process_;
  OwnRound round_;
};

}  // namespace heddle::runtime
