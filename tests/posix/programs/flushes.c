// fflush(NULL) while other threads of the rank open, use and close streams.
//
//   flushes shrink   half of the streams are closed while it waits in one of them
//   flushes used     a stream that another thread has locked is flushed, too
//   flushes fails    it returns EOF where a stream cannot be written
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kFiles = 40, kPipe = 4096, kBlocks = 200, kFileBytes = 472 };

static FILE* files[kFiles];
static FILE* full;  // a pipe that takes half of what is written
static int pipe_ends[2];
static atomic_int result = 1;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  _exit(1);
}

static FILE* open_written(void) {
  FILE* const file = tmpfile();
  check(file != NULL, "tmpfile");
  fputs("text", file);
  return file;
}

static off_t length(FILE* file) {
  struct stat status;
  check(fstat(fileno(file), &status) == 0, "fstat");
  return status.st_size;
}

static void* flush_all(void* unused) {
  atomic_store(&result, fflush(NULL));
  return unused;
}

// The last stream, from which the walk begins. Returns when the walk stands in it.
static pthread_t flush_into_full_pipe(void) {
  static char text[2 * kPipe], buffer[3 * kPipe];
  pthread_t thread;
  check(pipe(pipe_ends) == 0 && fcntl(pipe_ends[0], F_SETPIPE_SZ, kPipe) == kPipe, "pipe");
  full = fdopen(pipe_ends[1], "w");
  setvbuf(full, buffer, _IOFBF, sizeof buffer);
  check(fwrite(text, 1, sizeof text, full) == sizeof text, "fwrite");
  check(pthread_create(&thread, NULL, flush_all, NULL) == 0, "pthread_create");
  for (int waiting = 0; waiting < kPipe; sched_yield())
    check(ioctl(pipe_ends[0], FIONREAD, &waiting) == 0, "FIONREAD");
  return thread;
}

static void end_flush(pthread_t thread) {
  char text[kPipe];
  for (int got = 0; got < 2 * kPipe;) got += (int)read(pipe_ends[0], text, sizeof text);
  check(pthread_join(thread, NULL) == 0, "pthread_join");
  check(atomic_load(&result) == 0, "fflush(NULL) succeeds");
}

static void shrink(void) {
  static void* blocks[kBlocks];
  for (int i = 0; i < kFiles; ++i) files[i] = open_written();
  const pthread_t thread = flush_into_full_pipe();
  for (int i = 0; i < kFiles; i += 2) fclose(files[i]);
  // What the streams have left gets other contents.
  for (int i = 0; i < kBlocks; ++i) memset(blocks[i] = malloc(kFileBytes), 0xff, kFileBytes);
  end_flush(thread);
  for (int i = 1; i < kFiles; i += 2) check(length(files[i]) == 4, "the other streams are flushed");
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
}

static void used(void) {
  files[0] = open_written();
  files[1] = open_written();
  const pthread_t thread = flush_into_full_pipe();
  flockfile(files[1]);
  char text[kPipe];
  check(read(pipe_ends[0], text, sizeof text) == kPipe, "read");
  check(atomic_load(&result) == 1 && length(files[1]) == 0,
        "the stream is not flushed while it is locked");
  funlockfile(files[1]);
  check(read(pipe_ends[0], text, sizeof text) == kPipe, "read");
  check(pthread_join(thread, NULL) == 0 && atomic_load(&result) == 0, "fflush(NULL) succeeds");
  for (int i = 0; i < 2; ++i) check(length(files[i]) == 4, "both are flushed");
}

static void fails(void) {
  FILE* const file = fopen("/dev/full", "w");
  fputs("text", file);
  check(fflush(NULL) == EOF && errno == ENOSPC, "it says that a stream cannot be written");
  fclose(file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (strcmp(argv[1], "shrink") == 0) shrink();
  if (strcmp(argv[1], "used") == 0) used();
  if (strcmp(argv[1], "fails") == 0) fails();
  puts("ok");
  MPI_Finalize();
  return 0;
}
