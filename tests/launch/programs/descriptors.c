#define _GNU_SOURCE
/* Descriptors above 2: each rank finds what a process of its own would find. One use a call; each rank prints
 * "ok", or what is wrong. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int rank, ranks, wrong;

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      ++wrong;                                                                   \
      printf("%d, line %d: %s (errno %d)\n", rank, __LINE__, #condition, errno); \
    }                                                                            \
  } while (0)

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static int made(const char* what) { /* a file of the rank's own, open, empty */
  char name[64];
  snprintf(name, sizeof name, "descriptors.%s.%d", what, rank);
  const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file > 2);
  unlink(name);
  return file;
}

/* Writes `word` to a coprocess (cat), closes, and reads it back up to the end of file. */
static void converse(int to, int from, pid_t child) {
  char text[32] = "", word[32];
  snprintf(word, sizeof word, "word of %d\n", rank);
  CHECK(write(to, word, strlen(word)) == (ssize_t)strlen(word));
  close(to);
  size_t size = 0;
  for (ssize_t got; (got = read(from, text + size, sizeof text - 1 - size)) > 0;
       size += (size_t)got) {
  }
  close(from);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(strcmp(text, word) == 0);
}

static void coprocess_by_fork(int flags) {
  int to[2], from[2];
  CHECK(pipe2(to, flags) == 0 && pipe2(from, flags) == 0);
  barrier(); /* all pipes are open when the first child is made */
  const pid_t child = fork();
  if (child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    close(to[0]);
    close(to[1]);
    close(from[0]);
    close(from[1]);
    execlp("cat", "cat", (char*)NULL);
    _exit(1);
  }
  close(to[0]);
  close(from[1]);
  barrier(); /* all children are made before the first pipe is closed */
  converse(to[1], from[0], child);
}

static void coprocess_by_spawn(void) {
  int to[2], from[2];
  CHECK(pipe(to) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, from) == 0);
  barrier();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  for (int i = 0; i < 2; ++i) {
    posix_spawn_file_actions_addclose(&actions, to[i]);
    posix_spawn_file_actions_addclose(&actions, from[i]);
  }
  char* argv[] = {"cat", NULL};
  pid_t child = -1;
  CHECK(posix_spawnp(&child, "cat", &actions, NULL, argv, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  barrier();
  converse(to[1], from[0], child);
}

/* The end of a stream of popen, too. */
static void coprocess_by_popen(void) {
  char command[64], text[32] = "";
  snprintf(command, sizeof command, "cat > descriptors.popen.%d", rank);
  barrier();
  FILE* out = popen(command, "w");
  barrier();
  fprintf(out, "of %d", rank);
  CHECK(pclose(out) == 0);
  snprintf(command, sizeof command, "descriptors.popen.%d", rank);
  FILE* in = fopen(command, "r");
  CHECK(in != NULL && fgets(text, sizeof text, in) != NULL && text[3] == '0' + rank);
  fclose(in);
  unlink(command);
}

static int is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

/* One rank closes all numbers; the others keep theirs, and MPI goes on. */
static void closing(const char* how) {
  const int file = made("closing");
  FILE* stream = fopen("descriptors.stream", "a");
  barrier();
  if (rank == 0) {
    if (strcmp(how, "loop") == 0) {
      for (int i = 3; i < 1024; ++i) close(i);
    } else if (strcmp(how, "range") == 0) {
      CHECK(close_range(3, ~0U, 0) == 0);
    } else {
      closefrom(3);
    }
    CHECK(!is_open(file) && errno == EBADF);
  }
  barrier();
  if (rank != 0) {
    CHECK(write(file, "text", 4) == 4);
    CHECK(close(file) == 0 && close(file) == -1 && errno == EBADF);
    CHECK(fputs("text", stream) >= 0 && fclose(stream) == 0);
  }
  unlink("descriptors.stream");
  barrier();
  printf("%s", ""); /* standard output is still there */
}

/* dup2 onto the next rank's number is refused; onto a free number and one of its own it is not. */
static void replacing(void) {
  const int file = made("replacing"), second = made("second");
  int* all = malloc((size_t)ranks * sizeof *all);
  MPI_Allgather(&file, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  const int others = all[(rank + 1) % ranks];
  CHECK(dup2(second, others) == -1 && errno == EBUSY);
  barrier();
  CHECK(write(file, "mine", 4) == 4);
  const int far = 700 + rank;
  CHECK(dup2(file, far) == far && write(far, "more", 4) == 4);
  CHECK(dup2(second, far) == far && write(far, "s", 1) == 1);
  struct stat status;
  CHECK(fstat(file, &status) == 0 && status.st_size == 8);
  CHECK(fstat(second, &status) == 0 && status.st_size == 1);
  CHECK(dup2(far, far) == far && dup2(-1, far) == -1 && errno == EBADF);
  CHECK(dup3(far, far, 0) == -1 && errno == EINVAL);
  CHECK(dup2(file, 1 << 30) == -1 && errno == EBADF);
  free(all);
}

/* What the program has asked of close-on-exec is what it is told. */
static void flags(void) {
  const int plain = open("/dev/null", O_RDONLY), closes = open("/dev/null", O_RDONLY | O_CLOEXEC);
  CHECK(fcntl(plain, F_GETFD) == 0 && fcntl(closes, F_GETFD) == FD_CLOEXEC);
  CHECK(fcntl(plain, F_SETFD, FD_CLOEXEC) == 0 && fcntl(plain, F_GETFD) == FD_CLOEXEC);
  CHECK(ioctl(closes, FIONCLEX) == 0 && fcntl(closes, F_GETFD) == 0);
  CHECK(fcntl(dup(plain), F_GETFD) == 0);
  CHECK(fcntl(fcntl(plain, F_DUPFD_CLOEXEC, 10), F_GETFD) == FD_CLOEXEC);
  CHECK(fcntl(socket(AF_UNIX, SOCK_STREAM, 0), F_GETFD) == 0);
  CHECK(fcntl(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), F_GETFD) == FD_CLOEXEC);
  FILE* stream = fopen("/dev/null", "r");
  CHECK(fcntl(fileno(stream), F_GETFD) == 0);
  stream = freopen("/dev/zero", "re", stream);
  CHECK(stream != NULL && fcntl(fileno(stream), F_GETFD) == FD_CLOEXEC && getc(stream) == 0 &&
        fclose(stream) == 0);
  CHECK(fcntl(fileno(tmpfile()), F_GETFD) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(fcntl(plain, F_GETFD) == FD_CLOEXEC && fcntl(closes, F_GETFD) == 0 ? 7 : 1);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

/* A program gets what the rank passes on, and nothing of other ranks. */
static void passed_on(void) {
  const int kept = made("kept"), closed = made("closed");
  fcntl(closed, F_SETFD, FD_CLOEXEC);
  int* all = malloc((size_t)ranks * sizeof *all);
  MPI_Allgather(&kept, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  char script[512] = "";
  for (int i = 0; i < ranks; ++i) {
    snprintf(script + strlen(script), sizeof script - strlen(script),
             "test %s -e /proc/self/fd/%d && ", i == rank ? "" : "!", all[i]);
  }
  snprintf(script + strlen(script), sizeof script - strlen(script), "test ! -e /proc/self/fd/%d",
           closed);
  CHECK(system(script) == 0);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", script, (char*)NULL);
    _exit(1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  free(all);
}

/* Descriptors that were made without libc, or came in a message. */
static void strange(void) {
  const int raw = (int)syscall(SYS_memfd_create, "raw", 0);
  CHECK(raw > 2 && fcntl(raw, F_GETFD) == 0 && close(raw) == 0 && close(raw) == -1);
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  char byte = 'x', space[CMSG_SPACE(sizeof(int))];
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  struct cmsghdr* control = CMSG_FIRSTHDR(&message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(control), &ends[0], sizeof(int));
  CHECK(sendmsg(ends[0], &message, 0) == 1);
  message.msg_controllen = sizeof space;
  CHECK(recvmsg(ends[1], &message, 0) == 1);
  int received = -1;
  memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
  CHECK(received > 2 && received != ends[0] && fcntl(received, F_GETFD) == 0);
  CHECK(write(received, "y", 1) == 1 && read(ends[1], &byte, 1) == 1 && byte == 'y' &&
        close(received) == 0);
}

/* Threads that open and close beside one that starts programs. */
static volatile int goes_on = 1;
static void* open_and_close(void* unused) {
  while (goes_on) {
    int ends[2];
    if (pipe(ends) == 0) {
      close(ends[0]);
      close(ends[1]);
    }
    sched_yield();
  }
  return unused;
}
static void beside(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, open_and_close, NULL) == 0);
  for (int i = 0; i < 20; ++i) CHECK(system("exit 3") == 3 << 8);
  goes_on = 0;
  pthread_join(thread, NULL);
}

/* What a rank leaves open is closed at its end: rank 1 reads up to the end of what rank 0's child copies, while rank 1
 * runs on. */
static int left_open(void) {
  if (rank == 0) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[1]);
      char byte;
      const ssize_t got = read(ends[0], &byte, 1); /* ends when rank 0 does */
      const int told = open("descriptors.left", O_WRONLY);
      _exit(got == 0 && write(told, "end", 3) == 3 ? 0 : 1);
    }
    close(ends[0]);
    barrier();
    MPI_Finalize();
    return 0; /* with ends[1] open */
  }
  barrier();
  MPI_Finalize();
  if (rank == 1) {
    char text[4] = "";
    /* Not in a call that waits: under sanitizers it would keep the worker. */
    const int in = open("descriptors.left", O_RDONLY | O_NONBLOCK);
    while (read(in, text, 3) != 3) usleep(1000);
    CHECK(strcmp(text, "end") == 0);
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* use = argv[1];
  if (strcmp(use, "left") == 0) {
    if (rank == 0) {
      unlink("descriptors.left");
      CHECK(mkfifo("descriptors.left", 0600) == 0);
    }
    barrier();
    const int status = left_open();
    if (wrong == 0) printf("ok\n");
    return status;
  }
  if (strcmp(use, "fork") == 0) coprocess_by_fork(0);
  if (strcmp(use, "fork-closing") == 0) coprocess_by_fork(O_CLOEXEC);
  if (strcmp(use, "spawn") == 0) coprocess_by_spawn();
  if (strcmp(use, "popen") == 0) coprocess_by_popen();
  if (strcmp(use, "loop") == 0 || strcmp(use, "range") == 0 || strcmp(use, "from") == 0)
    closing(use);
  if (strcmp(use, "replacing") == 0) replacing();
  if (strcmp(use, "flags") == 0) flags();
  if (strcmp(use, "passed") == 0) passed_on();
  if (strcmp(use, "strange") == 0) strange();
  if (strcmp(use, "beside") == 0) beside();
  if (wrong == 0) printf("ok\n");
  MPI_Finalize();
  return wrong != 0;
}
