// process.h — the MPI processes that this host knows: who they are and where their messages go.
//
// A Job is one MPI_COMM_WORLD as one host sees it: the ranks of one mpiexec or one MPIX_Run. Its table
// is made before any rank runs, so a message may be sent to a rank that has not called MPI_Init yet.
//
// Thread safety: constant once the job has started, but for the atomics.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "exec/rank/rank.h"
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

// A host's way to processes of other hosts: mpi/p2p derives its Exchange from it.
class Gateway {
 public:
  virtual ~Gateway() = default;
};

struct Process {
  int number = 0;                      // rank in its job's MPI_COMM_WORLD
  int worker = -1;                     // that its main strand runs on; -1: none
  int host = 0;                        // the OS process that carries it
  int node = 0;                        // the machine that its host is on
  std::unique_ptr<Receiver> receiver;  // nullptr: in another host, behind the gateway
};

// What processes of one address space share, whichever host's table they look into: a test may
// pretend that one OS process is several hosts (runtime/hosts.h).
struct Commons {
  std::atomic<ContextId> next_context{16};  // the ones below are for predefined communicators
  SharedParts shared_parts;
};

class Job {
 public:
  explicit Job(int size, std::shared_ptr<Commons> commons = std::make_shared<Commons>());

  int size() const noexcept { return static_cast<int>(processes_.size()); }
  Process& process(int number) noexcept { return processes_[static_cast<std::size_t>(number)]; }

  // A context id that no communicator has had. 64 bits do not run out.
  ContextId new_context() noexcept {
    return commons_->next_context.fetch_add(1, std::memory_order_relaxed);
  }

  SharedParts& shared_parts() noexcept { return commons_->shared_parts; }

  // nullptr: all processes are here. It goes before the processes do.
  Gateway* gateway() const noexcept { return gateway_.get(); }
  void set_gateway(std::unique_ptr<Gateway> gateway) noexcept { gateway_ = std::move(gateway); }

 private:
  const std::shared_ptr<Commons> commons_;
  std::vector<Process> processes_;
  std::unique_ptr<Gateway> gateway_;
};

// The calling rank's place in its job. Requires Rank::current() and that runtime has set it.
struct Here {
  Job* job = nullptr;
  Process* process = nullptr;
};
extern const RankLocal<Here> here_of_rank;
inline Here& here() noexcept {
  return here_of_rank.get();
}

}  // namespace heddle::world
