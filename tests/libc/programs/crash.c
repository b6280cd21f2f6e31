/* Crashes in the way that argv[1] names, in static functions two levels below main. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int zero;
static int* volatile nowhere;
static void (*volatile no_function)(void);

static int ends[2];
static void (*volatile wild_function)(void) = (void (*)(void))0x123456789abc;
static void* (*volatile fill)(void*, int, size_t) = memset;

/* Writes over the address that it returns to. */
static __attribute__((noinline)) void smash(void) {
  char here[16];
  fill(here, 0x41, 32);
}

static int overflow(int depth) {
  volatile char frame[2000];
  frame[depth % 2000] = (char)depth;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[1];
}

static void crash_here(const char* how) {
  if (strcmp(how, "pointer") == 0) *nowhere = 1;
  if (strcmp(how, "division") == 0) zero = (int)strlen(how) / zero;
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "instruction") == 0) __builtin_trap();
  if (strcmp(how, "call") == 0) no_function();
  if (strcmp(how, "stack") == 0) zero = overflow(0);
  if (strcmp(how, "wild") == 0) wild_function();
  if (strcmp(how, "smashed") == 0) smash();
  if (strcmp(how, "trap") == 0) raise(SIGTRAP);
  if (strcmp(how, "forbidden") == 0) raise(SIGSYS);
  if (strcmp(how, "pipe") == 0 && pipe(ends) == 0 && close(ends[0]) == 0) write(ends[1], "x", 1);
  if (strcmp(how, "quit") == 0) kill(getpid(), SIGQUIT), pause();
  if (strcmp(how, "time") == 0) kill(getpid(), SIGXCPU), pause();
}

static void work(const char* how) {
  crash_here(how);
  printf("still here %d\n", zero);
}

int main(int argc, char** argv) {
  printf("printed before\n");
  fflush(stdout);
  printf("begun");
  fflush(stdout);
  work(argc > 1 ? argv[1] : "");
  return 0;
}
