// returning.h — a duplicate of MPI_COMM_WORLD whose errors return, and whose children's do.

#pragma once

#include <mpi.h>

namespace heddle::testing {

class Returning {
 public:
  Returning() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Returning() { MPI_Comm_free(&comm); }
  Returning(Returning&&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
};

inline int kind_of(MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  return kind;
}

}  // namespace heddle::testing
