/* Each call that moves bytes in several parts moves all of them to or from a child that takes its time, and the bytes arrive in order: no
 * signal of the library shows. With -DPLAIN a program without MPI, whose output is the oracle.
 *
 *   cut_transfers [NAME]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

enum { kAll = 1 << 20, kPart = 20000 };
static char bytes[kAll];
static int pipes[2], sockets[2], file;
static struct iovec halves[2] = {{bytes, kAll / 3}, {bytes + kAll / 3, kAll - kAll / 3}};
static struct msghdr message = {.msg_iov = halves, .msg_iovlen = 2};
static struct mmsghdr messages[2];

static void pattern(void) {
  for (int i = 0; i < kAll; ++i) bytes[i] = (char)(i * 7 + i / 251);
}
static void rest(void) {
  usleep(2000);
}

/* Takes all from `from`, or gives all to `to`, slowly. */
static pid_t take(int from) {
  const pid_t child = fork();
  if (child != 0) return child;
  char* const got = malloc(kAll);
  for (long done = 0, now; done < kAll; done += now) {
    rest();
    now = read(from, got + done, kAll - done < kPart ? (size_t)(kAll - done) : kPart);
    if (now <= 0) _exit(2);
  }
  _exit(memcmp(got, bytes, kAll) != 0);
}
static pid_t give(int to) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (long done = 0, now; done < kAll; done += now) {
    rest();
    now = write(to, bytes + done, kAll - done < kPart ? (size_t)(kAll - done) : kPart);
    if (now <= 0) _exit(2);
  }
  _exit(0);
}
static long lengths(long count) {
  long all = 0;
  for (int i = 0; i < count; ++i) all += messages[i].msg_len;
  return all;
}

/* A name, which end the child has ('p' reads the pipe, 's' the socket, 'g' gives to the socket), the call, its result. */
#define CALLS(X)                                                                                \
  X(write, 'p', write(pipes[1], bytes, kAll))                                                   \
  X(writev, 'p', writev(pipes[1], halves, 2))                                                   \
  X(pwritev2, 'p', pwritev2(pipes[1], halves, 2, -1, 0))                                        \
  X(write_by_number, 'p', syscall(SYS_write, pipes[1], bytes, kAll))                            \
  X(writev_by_number, 'p', syscall(SYS_writev, pipes[1], halves, 2))                            \
  X(fwrite, 'p', (long)fwrite(bytes, 1, kAll, fdopen(dup(pipes[1]), "w")))                      \
  X(send, 's', send(sockets[0], bytes, kAll, 0))                                                \
  X(sendto, 's', sendto(sockets[0], bytes, kAll, 0, NULL, 0))                                   \
  X(sendmsg, 's', sendmsg(sockets[0], &message, 0))                                             \
  X(sendmmsg, 's', lengths(sendmmsg(sockets[0], messages, 2, 0)))                               \
  X(sendmmsg_by_number, 's', lengths(syscall(SYS_sendmmsg, sockets[0], messages, 2, 0)))        \
  X(sendfile, 's', sendfile(sockets[0], file, &(off_t){0}, kAll))                               \
  X(recv, 'g', recv(sockets[0], bytes, kAll, MSG_WAITALL))                                      \
  X(recvmsg, 'g', recvmsg(sockets[0], &message, MSG_WAITALL))                                   \
  X(recvfrom_by_number, 'g', syscall(SYS_recvfrom, sockets[0], bytes, kAll, MSG_WAITALL, 0, 0)) \
  X(getrandom, ' ', getrandom(bytes, kAll, 0))

static void set_up(void) {
  pipe(pipes);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  memset(messages, 0, sizeof messages);
  for (int i = 0; i < 2; ++i)
    messages[i].msg_hdr = (struct msghdr){.msg_iov = &halves[i], .msg_iovlen = 1};
  pattern();
}
static void report(const char* name, long result, pid_t child) {
  int status = 0;
  char* const got = malloc(kAll);
  memcpy(got, bytes, kAll);
  pattern();
  const int same = memcmp(got, bytes, kAll) == 0;
  if (child != 0) waitpid(child, &status, 0);
  printf("%s: %ld, %s, %s\n", name, result, status == 0 ? "arrived" : "other bytes",
         same ? "whole" : "changed");
  fflush(stdout);
  free(got);
  for (int i = 0; i < 2; ++i) close(pipes[i]), close(sockets[i]);
}

int main(int argc, char** argv) {
#ifndef PLAIN
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#endif
  pattern();
  file = memfd_create("cut_transfers", 0);
  write(file, bytes, kAll);
#define RUN(name, how, call)                      \
  if (argc < 2 || strcmp(argv[1], #name) == 0) {  \
    set_up();                                     \
    pid_t child = how == 'p'   ? take(pipes[0])   \
                  : how == 's' ? take(sockets[1]) \
                  : how == 'g' ? give(sockets[1]) \
                               : 0;               \
    if (how == 'g') memset(bytes, 0, kAll);       \
    report(#name, call, child);                   \
  }
  CALLS(RUN)
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
