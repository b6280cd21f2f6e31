/* Linked into a program of bench/threads: the second message with content is delivered with the first or
 * last bytes of an older one, as a library with a defect would do. */
#include <mpi.h>
#include <string.h>

static int sent;

static void damage(void* data, int bytes) {
  if (bytes < 8 || ++sent != 2) return;
#ifdef BREAK_FIRST
  memset(data, 0, 4);
#else
  memset((char*)data + bytes - 4, 0, 4);
#endif
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  damage((void*)data, count);
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  damage((void*)data, count);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
