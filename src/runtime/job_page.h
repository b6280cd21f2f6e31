// job_page.h — what mpiexec and the processes of a job tell each other, where each rank is a process: a page of memory
// that they share, and one variable.
//
//   HEDDLE_PROCESS=3:100:101       rank 3; the descriptor of the page; that of the memory for messages
//                                  (net/transport/shm/segment.h)
//
//   JobPage | kind | ranks | failed_outside | Card 0 | Card 1 | …
//   Card    | process | phase |    a line; process: 0 until MPI_Init
//
//   phase        the process has                         if it ends now, mpiexec
//   -----------  --------------------------------------  ------------------------------------------------
//   kOutside     not called MPI_Init                     notes its status
//   kRunning     called MPI_Init                         ends the job: the others wait for it
//   kFinal       called MPI_Finalize                     notes its status
//   kAborted     said why it ends the job                ends the job, and adds nothing
//
// A rank that fails outside and another one that has initialized would wait for each other. mpiexec writes
// failed_outside and reads the phases, a rank writes its phase and reads failed_outside: all seq_cst, so
// one of the two sees it and ends the job.
//
// The descriptors are inherited, and nothing else leads to the memory: a process that has them belongs to the job.
//
// Thread safety: any thread of any process.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

constexpr char kProcessVariable[] = "HEDDLE_PROCESS";

enum class ProcessPhase : std::uint32_t { kOutside, kRunning, kFinal, kAborted };

struct alignas(64) Card {
  std::atomic<std::int32_t> process{0};
  std::atomic<ProcessPhase> phase{ProcessPhase::kOutside};
};

struct alignas(64) JobPage {
  static constexpr std::uint64_t kKind = 0x6864646c6a6f6201;  // "hddljob", version 1

  std::uint64_t kind = 0;
  std::int32_t ranks = 0;
  std::atomic<std::int32_t> failed_outside{0};  // the status of one

  Card& card(int rank) noexcept { return reinterpret_cast<Card*>(this + 1)[rank]; }
  static constexpr std::size_t bytes(int ranks) noexcept {
    return sizeof(JobPage) + static_cast<std::size_t>(ranks) * sizeof(Card);
  }
};
static_assert(sizeof(JobPage) == alignof(Card));

}  // namespace heddle::runtime
