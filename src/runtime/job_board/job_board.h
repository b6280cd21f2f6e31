// job_board.h — this process's place on the board of the job: what it tells all others, and what it
// reads there (job_page.h).
//
//   join ── has mpiexec handed over a page? ── no: the board is this process's own
//                                              └─ yes: process P of N of one node
//
// Thread safety: begin and join before any rank runs; the rest any thread.

#pragma once

#include <cstdint>

#include "base/error.h"
#include "runtime/job_board/job_page.h"

namespace heddle::runtime {

class JobBoard {
 public:
  explicit constexpr JobBoard(JobPage& page) noexcept : page_(&page) {}

  // This process is the only one of a job that begins.
  void begin() noexcept;
  // Reads what mpiexec has handed over, takes the process's card and removes the variable; else, or
  // if another process has the card and still runs, since this one is a child of it, it begins.
  // `*memory`: the descriptor of the memory for messages; -1: nothing was handed over. Fails if the
  // descriptors are gone or the other process has ended.
  Error join(int* memory);

  // True if mpiexec has started the process as one of a job, if only of one process: it is the
  // parent of all, and has the page.
  bool is_shared() const noexcept { return shared_; }
  JobPage& page() const noexcept { return *page_; }
  int process() const noexcept { return process_; }  // which one of the page's this is
  Card& card() const noexcept { return page_->card(process_); }
  // False in a child of a fork: it is not the process.
  bool is_of_process() const noexcept;

  // A rank waits for the others from now on. Returns the status of one that ended before MPI_Init;
  // JobPage::kNone: none has.
  int begin_world() noexcept;
  // A rank is in MPI_Finalize. True: one has ended that will never come there.
  [[nodiscard]] bool begin_finalize() noexcept;
  // It has come through; `has_session`: and has kept a session open.
  void end_finalize(bool has_session) noexcept;
  void begin_abort() noexcept { tell(ProcessPhase::kAborted); }

  // A rank uses MPI, which it did not before, in the World Model or by a session; and does not any
  // more. The phase falls back to what it was when no rank of the process does.
  enum class Use : std::uint8_t { kEarly, kLate };  // before MPI_Finalize, after it
  void begin_use(Use use) noexcept;
  void end_use() noexcept;
  bool any_uses() const noexcept { return card().inside.load(std::memory_order_seq_cst) > 0; }

  // A rank of this process has ended; see JobPage::note_end.
  MeaningOfEnd note_end(ProcessPhase phase, int status) noexcept;

  // True for the one process that is to say why the job ends; mpiexec ends the others.
  bool may_say_why() noexcept { return !is_of_process() || page_->may_say(); }

 private:
  void tell(ProcessPhase phase) noexcept;
  bool fall_back(ProcessPhase from, ProcessPhase to) noexcept;

  // Never unmapped, since the end of the process may still tell its phase.
  JobPage* page_;
  int process_ = 0;
  bool shared_ = false;
};

// The process's. Before begin or join it has a page on which nothing is noted.
JobBoard& job_board() noexcept;

// How many processes mpiexec has started for the job's ranks; 1: it has handed over nothing. Before
// join, and takes nothing.
int processes_of_job() noexcept;

}  // namespace heddle::runtime
