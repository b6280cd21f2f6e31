/* Locks of files between ranks, one use a call. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kTimes = 100 };

static const char file[] = "locks.file";
static int rank, ranks;

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

/* 0, or errno. */
static int lock(int in, int command, short type, short whence, off_t start, off_t length) {
  struct flock wanted = {.l_type = type, .l_whence = whence, .l_start = start, .l_len = length};
  return fcntl(in, command, &wanted) == 0 ? 0 : errno;
}

static int is_busy(int error) {
  return error == EAGAIN || error == EACCES;
}

static void check(int holds, const char* what) {
  if (!holds) printf("%d: not so: %s\n", rank, what);
}

/* Reads a number from the file and writes it back, one larger, under a lock. */
static void count(const char* how) {
  const int in = open(file, O_RDWR);
  for (int i = 0; i < kTimes; ++i) {
    char text[32] = "";
    if (how[0] == 'f') check(lock(in, F_SETLKW, F_WRLCK, SEEK_SET, 0, 0) == 0, "fcntl");
    if (how[0] == 'l') check(lseek(in, 0, SEEK_SET) == 0 && lockf(in, F_LOCK, 0) == 0, "lockf");
    if (how[0] == 'w') check(flock(in, LOCK_EX) == 0, "flock");
    check(pread(in, text, sizeof text - 1, 0) >= 0, "read");
    if (i % 10 == 0) usleep(100);
    const int size = snprintf(text, sizeof text, "%d\n", atoi(text) + 1);
    check(pwrite(in, text, (size_t)size, 0) == size, "write");
    if (how[0] == 'f') check(lock(in, F_SETLK, F_UNLCK, SEEK_SET, 0, 0) == 0, "unlock");
    if (how[0] == 'l') check(lseek(in, 0, SEEK_SET) == 0 && lockf(in, F_ULOCK, 0) == 0, "unlock");
    if (how[0] == 'w') check(flock(in, LOCK_UN) == 0, "unlock");
  }
  close(in);
  meet();
  if (rank == 0) {
    char text[32] = "";
    const int again = open(file, O_RDONLY);
    check(read(again, text, sizeof text - 1) > 0, "read");
    printf("%d of %d\n", atoi(text), ranks * kTimes);
    close(again);
  }
}

/* What rank 1 sees of locks of rank 0. */
static void rules(void) {
  const int in = open(file, O_RDWR), other = open(file, O_RDWR), reads = open(file, O_RDONLY);
  struct flock seen = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (rank == 0) check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 10, 10) == 0, "locks");
  if (rank == 0)
    check(lock(other, F_SETLK, F_WRLCK, SEEK_SET, 15, 10) == 0, "once more by another descriptor");
  if (rank == 0) check(lock(in, F_SETLK, F_UNLCK, SEEK_SET, 12, 4) == 0, "leaves two pieces");
  meet();
  if (rank == 1) {
    check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 0, 10) == 0, "free before");
    check(is_busy(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 11, 1)), "first piece");
    check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 12, 4) == 0, "the hole");
    check(is_busy(lock(reads, F_SETLK, F_RDLCK, SEEK_SET, 16, 1)), "second piece");
    lseek(in, 20, SEEK_SET);
    check(is_busy(lock(in, F_SETLK, F_WRLCK, SEEK_CUR, 5, -1)), "relative, backwards");
    check(lock(in, F_SETLK, F_WRLCK, SEEK_CUR, 5, 1) == 0, "relative");
    check(lock(reads, F_SETLK, F_WRLCK, SEEK_SET, 100, 1) == EBADF, "write lock by who may read");
    check(lock(in, F_SETLK, 77, SEEK_SET, 0, 1) == EINVAL, "no kind of lock");
    check(lock(in, F_SETLK, F_RDLCK, SEEK_SET, -1, 1) == EINVAL, "before the beginning");
    check(lock(-1, F_SETLK, F_RDLCK, SEEK_SET, 0, 1) == EBADF, "no descriptor");
    seen.l_start = 10;
    check(fcntl(in, F_GETLK, &seen) == 0 && seen.l_type == F_WRLCK && seen.l_start == 10 &&
              seen.l_len == 2 && seen.l_whence == SEEK_SET && seen.l_pid > 0,
          "told of the first piece");
    lseek(in, 16, SEEK_SET);
    check(lockf(in, F_TEST, 1) == -1 && errno == EACCES, "lockf tells");
    check(lockf(in, F_TLOCK, 1) == -1 && is_busy(errno), "lockf tries");
  }
  meet();
  if (rank == 0) close(reads); /* any of the file's descriptors */
  meet();
  if (rank == 1) {
    check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 10, 20) == 0, "released by a close");
    seen = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    check(fcntl(in, F_GETLK, &seen) == 0 && seen.l_type == F_UNLCK, "its own do not count");
    check(lock(in, F_SETLK, F_UNLCK, SEEK_SET, 0, 0) == 0, "all free");
  }
  meet();
  check(lock(other, F_SETLK, F_RDLCK, SEEK_SET, 0, 0) == 0, "both read");
  meet();
  check(is_busy(lock(other, F_SETLK, F_WRLCK, SEEK_SET, 0, 0)), "so neither writes");
  meet();
  FILE* stream = fopen(file, "r+");
  fclose(stream);
  meet();
  if (rank == 0) check(lock(other, F_SETLK, F_WRLCK, SEEK_SET, 0, 0) == 0, "released by fclose");
  meet();
  if (rank == 0) {
    close(in);
    close(other);
    printf("all said\n");
  }
}

/* Another process is excluded like another rank, and does not inherit. */
static void child(void) {
  int status = 0, told[2], ended[2];
  const int in = open(file, O_RDWR);
  char byte = 0;
  if (pipe(told) != 0 || pipe(ended) != 0) exit(3);
  check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 0, 1) == 0, "locks");
  const pid_t child = fork();
  if (child == 0) {
    close(ended[1]);
    const int excluded = is_busy(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 0, 1));
    const int locked = lock(in, F_SETLK, F_WRLCK, SEEK_SET, 5, 1) == 0;
    if (write(told[1], "x", 1) != 1 || read(ended[0], &byte, 1) < 0) _exit(1);
    _exit(excluded && locked ? 0 : 2);
  }
  struct flock seen = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 5};
  check(read(told[0], &byte, 1) == 1, "hears");
  check(fcntl(in, F_GETLK, &seen) == 0 && seen.l_type == F_WRLCK && seen.l_pid == child,
        "told of the child");
  close(open(file, O_RDONLY));
  check(lock(in, F_SETLK, F_WRLCK, SEEK_SET, 0, 1) == 0, "once more");
  close(ended[1]);
  waitpid(child, &status, 0);
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child was excluded");
  printf("all said\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    unlink(file);
    close(open(file, O_RDWR | O_CREAT, 0600));
  }
  meet();
  const char* use = argc > 1 ? argv[1] : "";
  if (strcmp(use, "rules") == 0)
    rules();
  else if (strcmp(use, "child") == 0)
    child();
  else
    count(use);
  MPI_Finalize();
  return 0;
}
