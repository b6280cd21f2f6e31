/* Frees large datatypes one after the other, with little room: those that were freed must make room for
 * the next. `shortage keep` does not free them, so that memory runs out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* A type takes 8 MiB, so those that are freed take three times the room. malloc reserves addresses by 64 MiB. */
enum { BLOCKS = 1 << 19, FREED = 60, KEPT = 1000, ROOM_MIB = 160 };

static long mapped_bytes(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1) exit(3);
  fclose(file);
  return pages * 4096;
}

static MPI_Datatype make(const int* ones, const int* places) {
  MPI_Datatype type;
  MPI_Type_indexed(BLOCKS, ones, places, MPI_INT, &type);
  return type;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int* ones = malloc(BLOCKS * sizeof *ones);
  int* places = malloc(BLOCKS * sizeof *places);
  for (int i = 0; i < BLOCKS; i++) {
    ones[i] = 1;
    places[i] = 2 * i + i % 3;
  }
  MPI_Datatype first = make(ones, places);
  const rlim_t room = (rlim_t)(mapped_bytes() + ((long)ROOM_MIB << 20));
  const struct rlimit limit = {room, room};
  setrlimit(RLIMIT_AS, &limit);
  MPI_Type_free(&first);
  const int types = argc < 2 ? FREED : KEPT;
  for (int i = 0; i < types; i++) {
    MPI_Datatype type = make(ones, places);
    if (argc < 2) MPI_Type_free(&type);
  }
  printf("%d types\n", types);
  MPI_Finalize();
  return 0;
}
