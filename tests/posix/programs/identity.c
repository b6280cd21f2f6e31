/* seteuid and its kind end, and mean the whole process, every worker of it. Root becomes another user;
 * others can only become what they are, which takes the same way through libc. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kTimes = 50 };

/* The kernel's, of the thread that runs the caller. */
static int is_everywhere(uid_t user) {
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (uid_t)syscall(SYS_geteuid) == user && geteuid() == user;
  MPI_Barrier(MPI_COMM_WORLD);
  return right;
}

static void* change(void* user) {
  const uid_t other = *(uid_t*)user;
  for (int i = 0; i < kTimes; ++i)
    if (seteuid(other) != 0 || setegid(getegid()) != 0) return NULL;
  return user;
}

/* The other rank stands in a call, and with one worker has given that away when this one runs. */
static int change_beside_a_call(int rank) {
  int ends[2];
  char byte = 0;
  uid_t user = getuid();
  if (rank == 0) {
    if (pipe(ends) != 0) return 0;
    MPI_Send(&ends[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return change(&user) != NULL && write(ends[1], &byte, 1) == 1;
  }
  MPI_Recv(&ends[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
  return read(ends[0], &byte, 1) == 1;
}

int main(int argc, char** argv) {
  int rank, size, level, right = 1;
  pthread_t thread;
  void* changed = NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 2) right &= change_beside_a_call(rank);
  const uid_t user = getuid();
  uid_t other = user == 0 ? 65534 : user;
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) right &= change(&other) != NULL;
    right &= is_everywhere(other);
    if (turn == rank) right &= seteuid(user) == 0;
    right &= is_everywhere(user);
  }
  /* All at once, and threads with them. */
  other = user;
  pthread_create(&thread, NULL, change, &other);
  right &= change(&other) != NULL;
  pthread_join(thread, &changed);
  right &= changed != NULL && is_everywhere(user);
  MPI_Finalize();
  puts(right ? "ok" : "wrong");
  return 0;
}
