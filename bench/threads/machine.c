/* machine [trip]: what the machine itself does, without MPI. `trip`: only how long a cache line
 * takes to the other core and back, in ns; on virtual machines it changes from minute to minute. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIPS = 500, BATCHES = 200, COPIES = 9 };

static _Alignas(128) atomic_int line;
static int cores[2];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void bind_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/* Hands the line back: it holds 2i when it is the main thread's turn for the i-th time. */
static void* other(void* argument) {
  bind_to(cores[1]);
  for (int i = 0; i < TRIPS * BATCHES; i++) {
    while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i + 1) {
    }
    atomic_store_explicit(&line, 2 * i + 2, memory_order_release);
  }
  return argument;
}

static double trip(void) {
  pthread_t thread;
  double batches[BATCHES];
  bind_to(cores[0]);
  atomic_store(&line, 0);
  pthread_create(&thread, NULL, other, NULL);
  for (int b = 0, i = 0; b < BATCHES; b++) {
    const double start = now();
    for (int end = i + TRIPS; i < end; i++) {
      while (atomic_load_explicit(&line, memory_order_acquire) != 2 * i) {
      }
      atomic_store_explicit(&line, 2 * i + 1, memory_order_release);
    }
    batches[b] = (now() - start) / TRIPS * 1e9;
  }
  pthread_join(thread, NULL);
  qsort(batches, BATCHES, sizeof *batches, ascending);
  return batches[BATCHES / 10]; /* not the median: other work on the machine only adds */
}

static double copy(size_t bytes) {
  char* from = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  char* to = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  double found[COPIES];
  memset(from, 1, bytes);
  memset(to, 2, bytes);
  const int times = (int)((size_t)100000000 / bytes) + 1;
  for (int b = 0; b < COPIES; b++) {
    const double start = now();
    for (int i = 0; i < times; i++) {
      memcpy(to, from, bytes);
      __asm__ volatile("" ::"r"(to) : "memory");
    }
    found[b] = (double)bytes * times / (now() - start) * 1e-9;
  }
  free(from);
  free(to);
  qsort(found, COPIES, sizeof *found, ascending);
  return found[COPIES / 2];
}

int main(int argc, char** argv) {
  cpu_set_t allowed;
  int count = 0;
  (void)argv;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int core = 0; core < CPU_SETSIZE && count < 2; core++) {
    if (CPU_ISSET(core, &allowed)) cores[count++] = core;
  }
  if (count == 2) printf("RESULT trip_ns %.9g\n", trip());
  for (size_t bytes = 1024; argc < 2 && bytes <= 4194304; bytes *= 4) {
    printf("RESULT memcpy_%zu %.9g\n", bytes, copy(bytes));
  }
  return 0;
}
