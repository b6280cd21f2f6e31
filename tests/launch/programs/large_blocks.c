// Allocates, writes and frees blocks of 8 and 24 MiB in turns, and says whether their memory stayed with the process.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { kRounds = 10, kPage = 4096 };

static char* volatile block;  // so that the compiler does not leave out what nothing reads

static void use(size_t bytes) {
  block = malloc(bytes);
  if (block == NULL) abort();
  memset(block, 1, bytes);
  free(block);
}

static long faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (size_t mebibytes = 8; mebibytes <= 24; mebibytes += 16) {
    const size_t bytes = mebibytes << 20;
    use(bytes);
    const long before = faults();
    for (int i = 0; i < kRounds; i++) use(bytes);
    const int kept = faults() - before < (long)(bytes / kPage);  // less than one round's pages
    printf("%zu MiB %s\n", mebibytes, kept ? "kept" : "faulted in again");
  }
  MPI_Finalize();
  return 0;
}
