/* The child of a fork has one thread. When that ends by pthread_exit, and so do those that it has made, the child
 * ends as by exit(0), whatever other threads the parent has. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void say_handler(void) {
  if (write(STDOUT_FILENO, "handler\n", 8) != 8) _exit(3);
}

static void* wait_for_ever(void* unused) {
  for (;;) pause();
  return unused;
}

static void* sleep_shortly(void* unused) {
  usleep(1000);
  return unused;
}

static void tell_end(const char* child_name, int makes_thread) {
  pthread_t thread;
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    atexit(say_handler);
    if (makes_thread) pthread_create(&thread, NULL, sleep_shortly, NULL);
    pthread_exit(NULL);
  }
  waitpid(child, &status, 0);
  const int exited = WIFEXITED(status);
  printf("%s: %s %d\n", child_name, exited ? "exited" : "ended by",
         exited ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void* fork_in_thread(void* unused) {
  tell_end("thread", 0);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t waiting, forking;
  MPI_Init(&argc, &argv);
  pthread_create(&waiting, NULL, wait_for_ever, NULL);
  tell_end("main", 0);
  tell_end("with a thread", 1);
  pthread_create(&forking, NULL, fork_in_thread, NULL);
  pthread_join(forking, NULL);
  MPI_Finalize();
  exit(0);
}
