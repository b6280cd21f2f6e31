// grequests.c — generalized requests: C's extra state is a cell with the Fortran procedures.

#include "bindings/fortran/wrappers.h"

typedef struct {
  void (*query)(MPI_Aint* extra, MPI_Status* status, int* ierror);
  void (*free)(MPI_Aint* extra, int* ierror);
  void (*cancel)(MPI_Aint* extra, int* complete, int* ierror);
  MPI_Aint* extra;  // the caller's variable, which MPICH and Open MPI keep, too
} Grequest;

static int query(void* cell, MPI_Status* status) {
  const Grequest* const own = cell;
  int error = MPI_SUCCESS;
  own->query(own->extra, status, &error);
  return error;
}

static int end(void* cell) {
  const Grequest* const own = cell;
  int error = MPI_SUCCESS;
  own->free(own->extra, &error);
  free(cell);
  return error;
}

static int cancel(void* cell, int complete) {
  const Grequest* const own = cell;
  int error = MPI_SUCCESS;
  own->cancel(own->extra, &complete, &error);
  return error;
}

void F_NAME(grequest_start)(void* query_fn, void* free_fn, void* cancel_fn, MPI_Aint* extra,
                            int* request, int* ierror) {
  Grequest* const cell = f_room_slow(1, sizeof *cell);
  cell->query = query_fn;
  cell->free = free_fn;
  cell->cancel = cancel_fn;
  cell->extra = extra;
  MPI_Request made = MPI_REQUEST_NULL;
  const int error = F_CALL(Grequest_start)(query, end, cancel, cell, &made);
  if (error == MPI_SUCCESS) {
    *request = F_INT(made);
  } else {
    free(cell);
  }
  f_return(ierror, error);
}

F_F08(grequest_start)
