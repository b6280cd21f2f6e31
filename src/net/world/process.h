// process.h — the MPI processes that this host knows: who they are and where their messages go.
//
// A Job is one MPI_COMM_WORLD: the ranks of one mpiexec or one MPIX_Run. Its table is made before
// any rank runs, so a message may be sent to a rank that has not called MPI_Init yet.
//
// Thread safety: constant once the job has started, but for the atomics.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/world/shared_part.h"

namespace heddle::world {

// Identifies a communicator's traffic in every process; never used twice.
using ContextId = std::uint64_t;

// What receives a process's messages: mpi/p2p derives its Port from it (design: "Receiver").
class Receiver {
 public:
  virtual ~Receiver() = default;

  // The process has given up the communicator with this context: what was kept for its messages
  // may serve others. Any strand.
  virtual void forget(ContextId context) noexcept = 0;
};

struct Process {
  int number = 0;                      // rank in its job's MPI_COMM_WORLD
  int worker = -1;                     // that its main strand runs on; -1: none
  std::unique_ptr<Receiver> receiver;  // nullptr: not in this host (no transport yet)
};

class Job {
 public:
  explicit Job(int size);

  int size() const noexcept { return static_cast<int>(processes_.size()); }
  Process& process(int number) noexcept { return processes_[static_cast<std::size_t>(number)]; }

  // A context id that no communicator has had. 64 bits do not run out.
  ContextId new_context() noexcept { return next_context_.fetch_add(1, std::memory_order_relaxed); }

  SharedParts& shared_parts() noexcept { return shared_parts_; }

 private:
  std::vector<Process> processes_;
  std::atomic<ContextId> next_context_{16};  // the ones below are for predefined communicators
  SharedParts shared_parts_;
};

// The calling rank's place in its job. Requires Rank::current() and that runtime has set it.
struct Here {
  Job* job = nullptr;
  Process* process = nullptr;
};
Here& here() noexcept;

}  // namespace heddle::world
