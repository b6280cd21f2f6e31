// job_page.h — what all of a job see: which ranks have begun, have ended, still wait. A page of
// memory, which always exists: where mpiexec has started several processes it shares it with them,
// else it is the process's own (job_board.h).
//
//   HEDDLE_PROCESS=3:100:101       process 3; the descriptor of the page; that of the memory for
//                                  messages (net/transport/shm/segment.h)
//
//   JobPage | kind | processes | ended_outside | left_early | said | … | Card 0 | Card 1 | …
//           | Post 0 | Post 1 | … | figures
//   Card    | process | phase | inside | left | still | steps | answered |
//             a line; process: 0 until it takes its card
//   figures | of rank 0 | of rank 1 | … | of worker 0 of process 0 | …
//             with --stats only (carrier/observation.h)
//   Post    | fences | bytes | text |
//             4 KiB, touched where the network is used (ways/page_launcher.h), by a deadlock, and at
//             the end of the job's time
//
// A process has the phase of that rank of it which has come farthest:
//
//   phase           the process has (a rank of it)    if the rank ends now (note_end)
//   --------------  --------------------------------  ---------------------------------------------
//   kOutside        not called MPI_Init               its status is noted; the job ends if another
//                                                     rank is inside
//   kInSession      an open session and no more       as with kRunning; it goes back to kOutside
//                                                     when all are closed
//   kRunning        called MPI_Init                   the job ends, unless its status is 0: then if
//                                                     another one waits for it (decision 75)
//   kFinalizing     called MPI_Finalize               the job ends
//   kFinal          come through MPI_Finalize         its status is noted
//   kInLateSession  has a session after that          the job ends, unless its status is 0; it goes
//                                                     back to kFinal when all are closed
//   kAborted        said why it ends the job          the job ends, and nothing is added
//
// Ranks that have ended and others that wait for them must learn of each other, whichever comes
// first. One side writes a phase and reads what has ended, the other side does the reverse, all
// seq_cst; so one of the two ends the job:
//
//   has ended (note_end)                          waits for it (JobBoard)
//   --------------------------------------------  ------------------------------------
//   outside: ended_outside, then reads phases     kRunning, then reads ended_outside
//   with 0 inside: left_early, then reads phases  kFinalizing, then reads left_early
//
// The one that has ended is noted by itself where it is a thread, and by mpiexec where it is a
// process.
//
// The descriptors are inherited, and nothing else leads to the memory: a process that has them
// belongs to the job.
//
// Thread safety: any thread of any process.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "exec/observe/figures.h"
#include "runtime/job_board/rest.h"

namespace heddle::runtime {

constexpr char kProcessVariable[] = "HEDDLE_PROCESS";

// Phases only grow, except those of sessions.
enum class ProcessPhase : std::uint32_t {
  kOutside,
  kInSession,
  kRunning,
  kFinalizing,
  kFinal,
  kInLateSession,
  kAborted
};

struct alignas(64) Card {
  std::atomic<std::int32_t> process{0};
  std::atomic<ProcessPhase> phase{ProcessPhase::kOutside};
  std::atomic<std::int32_t> inside{0};  // its ranks that use MPI, by MPI_Init or a session
  std::atomic<std::int32_t> left{0};    // how many of these have ended
  // deadlock_between.h. 0: it may run; else it stands still since its bell has rung so often, and
  // once. mpiexec writes kEnded.
  std::atomic<std::uint64_t> still{0};
  static constexpr std::uint64_t kEnded = ~std::uint64_t{0};
  std::atomic<std::uint64_t> steps{0}, answered{0};  // as the process stands still: still_rounds.h
};

struct alignas(64) Post {
  std::atomic<std::uint32_t> fences{0};  // how many the process has come to
  std::atomic<std::uint32_t> bytes{0};   // of the text; with kIsLines it is for the user
  static constexpr std::uint32_t kIsLines = std::uint32_t{1} << 31;
  char text[4088];
};

// How many ranks and workers have figures; all are 0 if the figures are not wanted.
struct FiguresInPage {
  std::int32_t ranks = 0;
  std::int32_t workers_each = 0;  // at most, of a process
};

// What the end of a rank means for the others.
struct MeaningOfEnd {
  enum class Then : std::uint8_t {
    kNothing,
    kWatchOthers,  // they may wait for it (JobPage::wait_in_vain)
    kEndJob,       // one of them waits for it
    kWasSaid,      // the job ends, and why was said
  };
  Then then = Then::kNothing;
  const char* where = "";  // for the sentence
};
constexpr const char* kUninitialized = "before it called MPI_Init";
constexpr const char* kUnfinalized = "without calling MPI_Finalize";
constexpr const char* kSessionOpen = "without calling MPI_Session_finalize";

struct alignas(64) JobPage {
  static constexpr std::uint64_t kKind = 0x6864646c6a6f6209;  // "hddljob", version 9
  static constexpr std::int32_t kNone = -1;

  std::uint64_t kind = 0;
  std::int32_t processes = 0;
  std::atomic<std::int32_t> ended_outside{kNone};  // the status of one
  std::atomic<std::int32_t> left_early{0};         // how many
  std::atomic<bool> said{false};                   // why the job ends
  std::atomic<bool> deadlock{false};  // proven; each process writes its lines into its Post
  bool checks_deadlock = false;       // constant; where a process is a rank (deadlock_of_process.h)
  // Constant. Where a process is a rank, it says at this time what it waits for (time_limit.h);
  // 0: never.
  std::int64_t deadline_ns = 0;
  FiguresInPage figures;  // constant
  std::atomic<std::uint64_t> question{
      0};  // the last one that was put to waits that ask: deadlock_between.h

  Card& card(int process) noexcept { return reinterpret_cast<Card*>(this + 1)[process]; }
  Post& post(int process) noexcept { return reinterpret_cast<Post*>(&card(processes))[process]; }
  std::span<observe::RankFigures> rank_figures() noexcept {
    return {reinterpret_cast<observe::RankFigures*>(&post(processes)),
            static_cast<std::size_t>(figures.ranks)};
  }
  // The figures of the workers of process 0, then of those of process 1 …
  std::span<observe::WorkerFigures> worker_figures() noexcept {
    return {reinterpret_cast<observe::WorkerFigures*>(rank_figures().data() + figures.ranks),
            static_cast<std::size_t>(processes) * static_cast<std::size_t>(figures.workers_each)};
  }
  static constexpr std::size_t bytes(int processes, const FiguresInPage& figures) noexcept {
    return sizeof(JobPage) +
           static_cast<std::size_t>(figures.ranks) * sizeof(observe::RankFigures) +
           static_cast<std::size_t>(processes) *
               (sizeof(Card) + sizeof(Post) +
                static_cast<std::size_t>(figures.workers_each) * sizeof(observe::WorkerFigures));
  }

  // Notes that a rank has ended in that phase with this status.
  MeaningOfEnd note_end(ProcessPhase phase, int status) noexcept;

  // True if some process is in that phase.
  bool has(ProcessPhase phase) noexcept;
  // True if a rank that has not ended uses MPI.
  bool any_stays() noexcept;
  // Called after each pause of `rest`, once a rank has ended inside: true if the others have done
  // nothing for long, and one of them uses MPI. It waits for the one that has gone.
  bool wait_in_vain(Rest& rest) noexcept;
  // What the processes that still run have used.
  std::int64_t processor_time_ns() noexcept;

  // What this process says at the end of the job: as much as its Post has room for.
  void put_lines(int process, std::string_view lines) noexcept;
  // Empty: it has said nothing yet.
  std::string_view lines_of(int process) noexcept;

  // True for the one that is to say why the job ends, mpiexec or a rank.
  bool may_say() noexcept { return !said.exchange(true, std::memory_order_relaxed); }
};
static_assert(sizeof(JobPage) == alignof(Card));

}  // namespace heddle::runtime
