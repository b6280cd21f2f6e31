// job_page.h — what mpiexec and the processes of a job tell each other, where a job has several: a
// page of memory that they share, and one variable. A process carries one rank (singleton.h), or
// many (host.cpp).
//
//   HEDDLE_PROCESS=3:100:101       process 3; the descriptor of the page; that of the memory for
//                                  messages (net/transport/shm/segment.h)
//
//   JobPage | kind | processes | ended_outside | left_early | said | … | Card 0 | Card 1 | …
//           | Post 0 | Post 1 | … | figures
//   Card    | process | phase | still | steps | answered |
//             a line; process: 0 until it takes its card
//   figures | of rank 0 | of rank 1 | … | of worker 0 of process 0 | …
//             with --stats only (observation.h)
//   Post    | fences | bytes | text |
//             4 KiB, touched where the network is used (page_launcher.h), by a deadlock, and at the
//             end of the job's time
//
//   phase           the process has (a rank of it)    if it ends now, mpiexec
//   --------------  --------------------------------  ---------------------------------------------
//   kOutside        not called MPI_Init               notes its status, and ends the job if another
//                                                     one is inside
//   kInSession      an open session and no more       the same as next; it goes back to kOutside
//                                                     when all are closed
//   kRunning        called MPI_Init                   ends the job, unless its status is 0
//                                                     (decision 75)
//   kFinalizing     called MPI_Finalize               ends the job
//   kFinal          come through MPI_Finalize         notes its status
//   kInLateSession  has a session after that          ends the job, unless its status is 0; it goes
//                                                     back to kFinal when all are closed
//   kAborted        said why it ends the job          ends the job, and adds nothing
//
// Processes that have ended and others that wait for them must learn of each other, whichever comes
// first. One side writes a phase and reads what has ended, the other side does the reverse, all
// seq_cst; so one of the two ends the job:
//
//   has ended                                     waits for it
//   --------------------------------------------  ------------------------------------
//   outside: ended_outside, then reads phases     kRunning, then reads ended_outside
//   with 0 inside: left_early, then reads phases  kFinalizing, then reads left_early
//
// The descriptors are inherited, and nothing else leads to the memory: a process that has them
// belongs to the job.
//
// Thread safety: any thread of any process.

#pragma once

#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "exec/observe/figures.h"

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

struct alignas(64) JobPage {
  static constexpr std::uint64_t kKind = 0x6864646c6a6f6208;  // "hddljob", version 8
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

  // What this process says at the end of the job: as much as its Post has room for.
  void put_lines(int process, std::string_view lines) noexcept {
    Post& own = post(process);
    const std::size_t bytes = lines.size() < sizeof own.text ? lines.size() : sizeof own.text;
    std::memcpy(own.text, lines.data(), bytes);
    const auto noted = static_cast<std::uint32_t>(bytes) | Post::kIsLines;
    own.bytes.store(noted, std::memory_order_release);  // with lines_of()
  }
  // Empty: it has said nothing yet.
  std::string_view lines_of(int process) noexcept {
    const Post& its = post(process);
    const std::uint32_t bytes = its.bytes.load(std::memory_order_acquire);
    if ((bytes & Post::kIsLines) == 0) return {};
    return {its.text, bytes & ~Post::kIsLines};
  }

  // True if some process is in that phase.
  bool has(ProcessPhase phase) noexcept {
    for (int i = 0; i < processes; ++i) {
      if (card(i).phase.load(std::memory_order_seq_cst) == phase) return true;
    }
    return false;
  }

  // True for the one that is to say why the job ends, mpiexec or a rank.
  bool may_say() noexcept { return !said.exchange(true, std::memory_order_relaxed); }

  // What the processes that still run have used.
  std::int64_t processor_time_ns() noexcept {
    std::int64_t sum = 0;
    for (int i = 0; i < processes; ++i) {
      const std::int32_t process = card(i).process.load(std::memory_order_relaxed);
      clockid_t clock;
      timespec time{};
      if (process == 0 || clock_getcpuclockid(process, &clock) != 0) continue;
      if (clock_gettime(clock, &time) == 0) sum += time.tv_sec * 1'000'000'000 + time.tv_nsec;
    }
    return sum;
  }
};
static_assert(sizeof(JobPage) == alignof(Card));

}  // namespace heddle::runtime
