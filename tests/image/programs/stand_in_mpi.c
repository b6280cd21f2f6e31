/* As much of MPI as FindMPI's test programs call: tests of the loader and the wrappers need no
 * more, and must not wait for the real library. */
#include <mpi.h>
#include <string.h>

int MPI_Init(int* argc, char*** argv) {
  return (void)argc, (void)argv, MPI_SUCCESS;
}
int MPI_Finalize(void) {
  return MPI_SUCCESS;
}
int MPI_Initialized(int* flag) {
  return *flag = 0, MPI_SUCCESS;
}
int MPI_Get_version(int* version, int* subversion) {
  *version = 5;
  *subversion = 0;
  return MPI_SUCCESS;
}
int MPI_Get_library_version(char* version, int* length) {
  strcpy(version, "stand-in");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  return (void)comm, *rank = 0, MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int* size) {
  return (void)comm, *size = 1, MPI_SUCCESS;
}
