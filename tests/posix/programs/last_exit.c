/* The main strand leaves first: the destructor function of the program runs once, after the thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int finished;

__attribute__((destructor)) static void say(void) {
  const char* text = finished ? "destroyed after the thread\n" : "destroyed before the thread\n";
  printf("%s", text);
  fflush(stdout);
}

static void* work(void* unused) {
  usleep(20000);
  MPI_Finalize();
  finished = 1;
  return unused;
}

int main(int argc, char** argv) {
  int level;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  pthread_exit(NULL);
}
