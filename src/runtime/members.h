// members.h — the processes of one job of this host, each with its port, and the groups that
// their MPI_COMM_WORLD and MPI_COMM_SELF are made of.
//
// Made whole before any rank runs, so that a message may be sent to a rank that has not called
// MPI_Init yet. Thread safety: constant after construction.

#pragma once

#include "exec/rank/rank.h"
#include "mpi/group/group.h"
#include "net/world/process.h"

namespace heddle::runtime {

class Members {
 public:
  explicit Members(int size);

  // Says which worker will run a rank. Before any rank runs.
  void place(int number, int worker) noexcept { job_.process(number).worker = worker; }

  // Tells a rank its place here; on a strand of the rank, before its program runs.
  void settle(const Rank& rank);

 private:
  world::Job job_;
  object::Ref<group::Group> world_;
};

}  // namespace heddle::runtime
