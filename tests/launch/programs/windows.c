/* What a test of windows needs several ranks, and a scheduler that interrupts programs, for.
 *
 *   busy     rank 0 computes until the others have counted to 100 each in its memory, under exclusive locks
 *   waits    each rank waits for another call on the window that does not come
 *   dies     the same, and rank 0, for which all wait, is killed
 *   left     no rank frees the window
 *   stopped  rank 0 is stopped by a signal, and rank 1 has epochs of all kinds there, which nothing hinders
 *
 * A second argument, "create": the program's memory.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MPI_Win window;
static int rank, size;

static void busy(long* memory) {
  for (int i = 0; rank != 0 && i < 100; ++i) {
    long number = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&number, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    ++number;
    MPI_Put(&number, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Win_unlock(0, window);
  }
  if (rank == 0) {
    volatile long* const counted = memory;
    while (*counted != 100 * (size - 1)) {
    }
    puts("counted");
  }
}

static void waits(int dies) {
  MPI_Group all = MPI_GROUP_NULL;
  int data = 0;
  MPI_Win_get_group(window, &all);
  if (rank == 0) {
    const int value = 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);  // in another process it takes the lock
    MPI_Win_flush(1, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  switch (rank) {
    case 0:
      if (dies) raise(SIGKILL);
      MPI_Recv(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
      break;
    case 2:
      MPI_Win_start(all, 0, window);
      break;
    case 3:
      MPI_Win_post(all, 0, window);
      MPI_Win_wait(window);
      break;
    case 4:
      MPI_Win_lock_all(0, window);
      break;
    default:
      MPI_Win_fence(0, window);
      break;
  }
}

/* In /proc/PID/stat the state follows the name. */
static char state_of(long process) {
  char path[64], state = '?';
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE* const file = fopen(path, "r");
  if (file != NULL) {
    if (fscanf(file, "%*d %*s %c", &state) != 1) state = '?';
    fclose(file);
  }
  return state;
}

static void stopped(const long* memory) {
  const int other = 1 - rank;
  const long one = 1;
  long process = getpid();
  MPI_Group all = MPI_GROUP_NULL, others = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &other, &others);
  MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_post(others, 0, window);
    raise(SIGSTOP);
    MPI_Win_wait(window);
    printf("%ld\n", *memory);
    return;
  }
  while (state_of(process) != 'T') {
  }
  MPI_Win_start(others, 0, window);
  MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window);
  MPI_Win_complete(window);
  for (int i = 0; i < 100; ++i) {
    MPI_Win_lock(i % 2 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush(0, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window);
    MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
  }
  kill((pid_t)process, SIGCONT);
}

int main(int count, char** arguments) {
  long* memory = NULL;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (count > 2) {
    static long own_memory;
    memory = &own_memory;
    MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  } else {
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
  }
  MPI_Win_set_name(window, "halo");
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (count > 1 && strcmp(arguments[1], "busy") == 0) busy(memory);
  if (count > 1 && strcmp(arguments[1], "waits") == 0) waits(0);
  if (count > 1 && strcmp(arguments[1], "dies") == 0) waits(1);
  if (count > 1 && strcmp(arguments[1], "stopped") == 0) stopped(memory);
  if (count < 2 || strcmp(arguments[1], "left") != 0) MPI_Win_free(&window);
  return MPI_Finalize();
}
