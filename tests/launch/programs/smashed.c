/* Overwrites its stack. */
#include <mpi.h>
#include <string.h>

static volatile size_t size = 64;

__attribute__((noinline)) static char smash(void) {
  volatile char bytes[8];
  for (size_t i = 0; i < size; ++i) bytes[i] = 'x';
  return bytes[3];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return smash();
}
