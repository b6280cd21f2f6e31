// shared.c — the functions of wrappers.h that are not inline, and the COMMON block.

#include <stdio.h>
#include <string.h>

#include "bindings/fortran/wrappers.h"

struct Sentinels heddle_mpi_;  // compiled with -fcommon: one with the program's block

void f_no_memory(void) {
  fprintf(stderr, "no memory is left for what an MPI call of Fortran needs\n");
  PMPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

void* f_room_slow(long n, size_t size) {
  void* room = malloc((size_t)n * size);
  if (room == NULL) f_no_memory();
  return room;
}

char* f_string(const char* text, size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  char* copy = f_room_slow((long)length + 1, 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

char* f_stripped(const char* text, size_t length) {
  while (length > 0 && *text == ' ') ++text, --length;
  return f_string(text, length);
}

void f_pad(char* to, size_t length, const char* text) {
  const size_t given = strlen(text);
  const size_t copied = given < length ? given : length;
  memcpy(to, text, copied);
  memset(to + copied, ' ', length - copied);
}

int f_peers(MPI_Comm comm) {
  int n = 0, inter = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return 0;
  if (inter) {
    PMPI_Comm_remote_size(comm, &n);
  } else {
    PMPI_Comm_size(comm, &n);
  }
  return n;
}

int f_neighbors(MPI_Comm comm, int receiving) {
  int topology = MPI_UNDEFINED, n = 0, rank = 0, in = 0, out = 0, weighted = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &n);
    return 2 * n;
  }
  if (topology == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &n);
    return n;
  }
  if (topology == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  return receiving ? in : out;
}

int f_has_indices(int error) {
  int class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) PMPI_Error_class(error, &class);
  return class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS;
}
