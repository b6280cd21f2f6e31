// counted: what the table of counts.py counts, each in two lengths. Between what is counted it calls part(), where callgrind
// writes what the instructions before have cost (--dump-before). One worker runs all ranks.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNeighbors = 4, kFew = 50, kMany = 150 };

static int rank, size, key;

// Callgrind counts a part until this begins; its name says which.
__attribute__((noinline)) void part(const char* name, int times) {
  printf("%s:%d\n", name, times);
}

static void message(void) {
  static const int distances[kNeighbors] = {1, -1, 2, -2};
  static char data[2 * kNeighbors][8];
  MPI_Request requests[2 * kNeighbors];
  for (int j = 0; j < kNeighbors; ++j) {
    MPI_Irecv(data[j], 8, MPI_BYTE, (rank + distances[j] + size) % size, 0, MPI_COMM_WORLD,
              &requests[j]);
  }
  for (int j = 0; j < kNeighbors; ++j) {
    MPI_Isend(data[kNeighbors + j], 8, MPI_BYTE, (rank + distances[j] + size) % size, 0,
              MPI_COMM_WORLD, &requests[kNeighbors + j]);
  }
  MPI_Waitall(2 * kNeighbors, requests, MPI_STATUSES_IGNORE);
}

// Two ranks each; both wait once.
static void wake_up(void) {
  char byte = 0;
  if (rank % 2 == 0) {
    MPI_Send(&byte, 1, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&byte, 1, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD);
  }
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void) {
  double sum, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void malloc_free(void) {
  void* volatile block = malloc(40);
  free(block);
}

static void attribute(void) {
  void* value;
  int found;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &found);
}

static void group(void) {
  const int first = 0;
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &one);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

static void type(void) {
  MPI_Datatype vector;
  MPI_Type_vector(8, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_free(&vector);
}

static void proc_null(void) {
  double out = 0, in = 0;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, &in, 1, MPI_DOUBLE, MPI_PROC_NULL, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void irecv_proc_null(void) {
  double in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancel(void) {
  double in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void iprobe(void) {
  int found;
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static MPI_Win window;

static void put(void) {
  const double one = 1;
  MPI_Put(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_flush(0, window);
}

static void fetch(void) {
  const long one = 1;
  long before;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, window);
  MPI_Win_flush(0, window);
}

static void lock_put_unlock(void) {
  const double one = 1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_unlock(0, window);
}

// What needs no other rank is done by one, while the others wait.
static void count(const char* name, void (*call)(void), int ranks) {
  for (int times = kFew; times <= kMany; times += kMany - kFew) {
    if (rank < ranks) call();  // so that memory is there
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) part("", 0);
    for (int i = 0; i < times && rank < ranks; ++i) call();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) part(name, times * ranks);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) part("start", 1);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  count("message", message, size);
  count("wake-up", wake_up, size);
  count("barrier", barrier, size);
  count("allreduce", allreduce, size);
  count("malloc and free", malloc_free, 1);
  count("attribute", attribute, 1);
  count("group", group, 1);
  count("type", type, 1);
  count("Sendrecv of nothing", proc_null, 1);
  count("Irecv of nothing", irecv_proc_null, 1);
  count("Irecv and Cancel", cancel, 1);
  count("Iprobe of nothing", iprobe, 1);
  double* memory;
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
  count("lock, put, unlock", lock_put_unlock, 1);
  MPI_Win_lock_all(0, window);
  count("put and flush", put, 1);
  count("fetch and flush", fetch, 1);
  MPI_Barrier(MPI_COMM_WORLD);  // the others have not gone on when the last one is counted
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free_keyval(&key);
  MPI_Finalize();
  return 0;
}
