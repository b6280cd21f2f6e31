// Runs three ranks by itself and says what MPIX_Run returned.
#include <heddle/mpix.h>
#include <mpi.h>
#include <stdio.h>

static void rank(void* unused) {
  (void)unused;
  MPI_Init(NULL, NULL);
  puts("ran");
  MPI_Finalize();
}

int main(void) {
  const int result = MPIX_Run(3, rank, NULL, NULL);
  printf("%d\n", result);
  return 0;
}
