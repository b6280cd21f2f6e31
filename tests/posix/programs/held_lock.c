/* A thread holds a lock of libc while it reads from a pipe; another one of its worker fills the pipe inside MPI, and
 * then waits there for the lock: the reader needs the worker to let go. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static FILE* file;
static int ends[2];
static volatile int held;

static void* read_with_lock(void* nothing) {
  char byte;
  flockfile(file);
  held = 1;
  if (read(ends[0], &byte, 1) != 1) perror("read");
  funlockfile(file);
  return nothing;
}

static int wait_for_lock(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  if (write(ends[1], "x", 1) != 1) perror("write");
  fputs("written inside MPI\n", file);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int keyval, given;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  file = tmpfile();
  if (file == NULL || pipe(ends) != 0) perror("no file, or no pipe");
  pthread_create(&thread, NULL, read_with_lock, NULL);
  while (!held) sched_yield();
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, wait_for_lock, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  pthread_join(thread, NULL);
  if (ftell(file) > 0) puts("ok");
  MPI_Finalize();
  return 0;
}
