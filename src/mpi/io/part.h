// part.h — what the members of an open file that live in this process have in common: one
// descriptor, locks, and the board of a collective access.
//
//   Part ─┬─ descriptor   one for all of them; of no rank: no rank's close() or end touches it
//         ├─ RangeLocks   of atomic mode
//         ├─ board        the access of each member here, while they meet
//         └─ shared       the shared pointer, if all members are in this process
//
// The first member of a process opens it, in its own working directory and with its mask.
//
// Invariants
//   I1  The board is written before the members meet, and read until they meet again. A member is
//       in one collective access at a time (coll/ticket.h), so one board is enough.
//
// Thread safety: what is constant once the file is open needs no lock; the rest by itself.

#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "mpi/comm/comm.h"
#include "mpi/io/range_locks.h"
#include "net/world/shared_part.h"

namespace heddle::io {

struct Access;

class Part final : public world::SharedPart {
 public:
  Part(const comm::Comm& comm, int host);
  ~Part() override;

  // How the kernel treats the file.
  enum class FileSystem { kLocal, kMemory, kRemote };

  // An errno, 0 on success; by the first member, before the others use it.
  int open(const std::string& path, int flags) noexcept;
  // An errno, 0 on success; by the first member, when the others do not use it any more. What is
  // still under way keeps the descriptor until the last member has gone.
  int close() noexcept;

  int descriptor() const noexcept { return descriptor_; }
  FileSystem file_system() const noexcept { return file_system_; }

  // The ranks of the members here, in ascending order.
  const std::vector<int>& ranks() const noexcept { return ranks_; }
  int index_of(int rank) const noexcept;
  bool all_are_here() const noexcept { return all_are_here_; }
  // One rank of each process, its lowest; the same list in all: first those of one process of each
  // node, then those of a second one, and so on.
  const std::vector<int>& leaders() const noexcept { return leaders_; }
  // Machines that the members are on.
  int nodes() const noexcept { return nodes_; }

  Access*& posted(int index) noexcept { return board_[static_cast<std::size_t>(index)]; }  // I1

  RangeLocks& locks() noexcept { return locks_; }
  std::atomic<MPI_Offset>& shared_pointer() noexcept { return shared_pointer_; }
  // Accesses that no call waits for.
  std::atomic<int>& under_way() noexcept { return under_way_; }

 private:
  std::vector<int> ranks_;
  const bool all_are_here_;
  int nodes_ = 1;
  std::vector<int> leaders_;  // made after nodes_, which it counts
  int descriptor_ = -1;
  FileSystem file_system_ = FileSystem::kLocal;
  std::vector<Access*> board_;
  RangeLocks locks_;
  std::atomic<MPI_Offset> shared_pointer_{0};
  std::atomic<int> under_way_{0};
};

}  // namespace heddle::io
