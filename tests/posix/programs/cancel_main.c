/* A thread cancels main. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t main_thread;
static volatile int cleaned;

static void clean(void* unused) {
  (void)unused;
  puts("cleaned");
  cleaned = 1;
}

static void handler(void) {
  puts("handler");
}

static void* cancel_main(void* unused) {
  pthread_cancel(main_thread);
  while (!cleaned) usleep(1000);
  usleep(20000); /* main's end must not come before this thread's */
  puts("thread ends");
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Finalize();
  atexit(handler);
  main_thread = pthread_self();
  pthread_cleanup_push(clean, NULL);
  pthread_create(&thread, NULL, cancel_main, NULL);
  for (;;) usleep(1000);
  pthread_cleanup_pop(0);
  return 3;
}
