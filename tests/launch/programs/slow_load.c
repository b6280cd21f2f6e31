/* Takes a tenth of a second to load. */
#include <mpi.h>
#include <unistd.h>

__attribute__((constructor)) static void load_slowly(void) {
  usleep(100000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
