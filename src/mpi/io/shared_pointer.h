// shared_pointer.h — the pointer that all members of a file share (MPI 5.0 §14.4.4), in etypes.
//
// If all members are in one process it is a word of their part. Otherwise it is a word of rank 0 in
// a window of the library's own, which the others fetch and add to. So there is no hidden file,
// and a file whose shared pointer is not used pays for nothing but that word.
//
// Thread safety: any strand. May switch where there is a window.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/io/part.h"
#include "mpi/rma/window.h"

namespace heddle::io {

class SharedPointer {
 public:
  explicit SharedPointer(Part& part) noexcept : part_(part) {}
  ~SharedPointer();
  SharedPointer(SharedPointer&&) = delete;

  // Once; collective.
  Error open(comm::Comm& comm);

  // Adds to it and gives what it was.
  Error take(MPI_Offset etypes, MPI_Offset* before);
  Error set(MPI_Offset value);

 private:
  Part& part_;
  object::Ref<rma::Window> window_;  // null: all members are in this process
};

}  // namespace heddle::io
