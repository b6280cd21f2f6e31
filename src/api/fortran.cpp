// What Fortran's wrappers call besides the functions of the standard (heddle/fortran.h).

#include "heddle/fortran.h"

#include "mpi/partitioned/partitioned.h"

int heddle_follow(MPI_Request request, const heddle_follower* follower) {
  const heddle::Error error = heddle::partitioned::follow(request, *follower);
  return error ? error.error_class() : MPI_SUCCESS;
}
