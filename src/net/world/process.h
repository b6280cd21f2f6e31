// process.h — the MPI processes that a host knows: their names, and where their messages go.
//
// A Job is one MPI_COMM_WORLD as one host sees it: the ranks of one mpiexec or one MPIX_Run. Its
// table is made before any rank runs, so a message may be sent to a rank that has not called
// MPI_Init yet.
//
// Thread safety: constant once the job has started, except Process::worker: by std::atomic_ref,
// since ranks move.

#pragma once

#include <memory>
#include <vector>

#include "net/world/names.h"

namespace heddle::world {

// Receives a process's messages. mpi/p2p derives its Port from it.
class Receiver {
 public:
  virtual ~Receiver() = default;

  // The process has freed its handle of the communicator with this context: memory that waits for a
  // message there may serve others. Any strand, both.
  virtual void forget_idle(ContextId context) noexcept = 0;
  // The process has given up the communicator: all memory for its messages may.
  virtual void forget(ContextId context) noexcept = 0;
};

struct Process {
  JobId job = kNoJob;                  // its name: job and number
  int number = 0;                      // rank in its job's MPI_COMM_WORLD
  int worker = -1;                     // of its main strand; -1: none, or on another host
  int host = 0;                        // the OS process that carries it
  int node = 0;                        // the machine that its host is on
  std::unique_ptr<Receiver> receiver;  // nullptr: in another host, behind the gateway

  ProcessName name() const noexcept { return {job, number}; }
};

class Job {
 public:
  Job(JobId id, int size);

  JobId id() const noexcept { return id_; }
  int size() const noexcept { return static_cast<int>(processes_.size()); }
  Process& process(int number) noexcept { return processes_[static_cast<std::size_t>(number)]; }

  // nullptr: the job has no such process.
  Process* find(int number) noexcept {
    return number >= 0 && number < size() ? &process(number) : nullptr;
  }

  // True if all processes are on one node. Set once their nodes are known.
  bool on_one_node() const noexcept { return on_one_node_; }
  void set_on_one_node(bool is) noexcept { on_one_node_ = is; }

 private:
  const JobId id_;
  std::vector<Process> processes_;
  bool on_one_node_ = true;
};

}  // namespace heddle::world
