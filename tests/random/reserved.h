// reserved.h — what a rank of a random program of messages has for itself: communicators in which it knows all traffic,
// and the buffer for MPI_Bsend.
//
// Thread safety: constant between constructor and destructor.

#pragma once

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <vector>

#include "tests/random/communicators.h"

namespace heddle::testing {

// Duplicates of MPI_COMM_WORLD. Made and freed by all ranks.
class Reserved {
 public:
  Reserved(int rank, int size) : nodes_(3) {
    for (Node& node : nodes_) {
      MPI_Comm_dup(MPI_COMM_WORLD, &node.comm);
      MPI_Comm_set_errhandler(node.comm, MPI_ERRORS_RETURN);
      node.rank = rank;
      node.groups[0].resize(static_cast<std::size_t>(size));
      std::iota(node.groups[0].begin(), node.groups[0].end(), 0);
    }
  }
  ~Reserved() {
    for (Node& node : nodes_) MPI_Comm_free(&node.comm);
  }
  Reserved(const Reserved&) = delete;

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::vector<Node> nodes_;
};

class AttachedBuffer {
 public:
  AttachedBuffer(int messages, int bytes)
      : memory_(static_cast<std::size_t>(messages * (bytes + MPI_BSEND_OVERHEAD))) {
    MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
  }
  ~AttachedBuffer() {
    void* memory = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&memory, &bytes);
  }
  AttachedBuffer(const AttachedBuffer&) = delete;

 private:
  std::vector<char> memory_;
};

}  // namespace heddle::testing
