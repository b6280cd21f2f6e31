/* A thread is cancelled in each function that may wait and is a cancellation point: those of POSIX that wait (man 7 pthreads),
 * those that may be one and are one in glibc, and Linux's own. Its cleanup handler runs, join says PTHREAD_CANCELED, streams are
 * unlocked. With -DPLAIN a program without MPI, whose output on the kernel's threads is the oracle.
 *
 *   cancelled_calls [NAME]   all of them, or one
 */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifndef PLAIN
#include <mpi.h>
#endif

enum { kMuch = 4 << 20, kLong = 1000 };
static int ends[2], sockets[2], queue, cleaned, process;
static mqd_t posix_queue;
static char fifo[64], locked[64], bytes[kMuch];
static FILE *input, *output;
static pthread_t sleeper;
static sem_t begun, never;
static mtx_t mutex;
static cnd_t condition;
static struct msghdr message;
static struct iovec part = {bytes, kMuch};
static sigset_t none, usr1;
static struct timespec far_away;

static void live_as_long_as(pid_t parent) {
  while (getppid() == parent) usleep(100000);
  _exit(0);
}
static int child(void) {
  const pid_t parent = getpid(), made = fork();
  if (made == 0) live_as_long_as(parent);
  return process = made;
}
static int listener(int family) {
  const int made = socket(family, SOCK_STREAM, 0);
  struct sockaddr_un path = {AF_UNIX, ""};
  struct sockaddr_in port = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (family == AF_UNIX) bind(made, (void*)&path, sizeof(sa_family_t)); /* Linux gives it a name */
  if (family == AF_INET) bind(made, (void*)&port, sizeof port);
  listen(made, 0);
  return made;
}
/* There is no room for another one: it waits to be accepted. */
static void connect_in_vain(void) {
  const int to = listener(AF_UNIX);
  struct sockaddr_un path = {AF_UNIX, ""};
  socklen_t size = sizeof path;
  getsockname(to, (void*)&path, &size);
  for (;;) connect(socket(AF_UNIX, SOCK_STREAM, 0), (void*)&path, size);
}
static void lock_file(int command, int kind) {
  struct flock lock = {.l_type = F_WRLCK};
  const int file = open(locked, O_RDWR);
  if (kind == 0) fcntl(file, command, &lock);
  if (kind == 1) lockf(file, F_LOCK, 0);
}
static void receive_of_mq(void) {
  struct mq_attr attributes;
  mq_getattr(posix_queue, &attributes);
  mq_receive(posix_queue, bytes, attributes.mq_msgsize, NULL);
}
static void send_for_ever(void) {
  struct {
    long type;
    char text[1024];
  } it = {1, ""};
  for (;;) msgsnd(queue, &it, sizeof it.text, 0);
}
static void read_by_aio(void) {
  struct aiocb* const it = calloc(1, sizeof *it);
  const struct aiocb* list[1] = {it};
  *it = (struct aiocb){.aio_fildes = ends[0], .aio_buf = bytes, .aio_nbytes = 1};
  aio_read(it);
  aio_suspend(list, 1, NULL);
}
static void wait_in_epoll(int how) {
  struct epoll_event event = {.events = EPOLLIN};
  const int poller = epoll_create1(0);
  epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
  if (how == 0) epoll_wait(poller, &event, 1, -1);
  if (how == 1) epoll_pwait(poller, &event, 1, -1, &none);
}
static fd_set* first_end(void) {
  static fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  return &set;
}

/* A name, the way there, and how many cleanup handlers of this program run. */
#define CALLS(X)                                                                                 \
  X(accept, accept(listener(AF_INET), NULL, NULL))                                               \
  X(accept4, accept4(listener(AF_INET), NULL, NULL, 0))                                          \
  X(aio_suspend, read_by_aio())                                                                  \
  X(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &far_away, NULL))           \
  X(cnd_wait, (mtx_lock(&mutex), cnd_wait(&condition, &mutex)))                                  \
  X(connect, connect_in_vain())                                                                  \
  X(epoll_pwait, wait_in_epoll(1))                                                               \
  X(epoll_wait, wait_in_epoll(0))                                                                \
  X(eventfd_read, read(eventfd(0, 0), bytes, 8))                                                 \
  X(fcntl, lock_file(F_SETLKW, 0))                                                               \
  X(fcntl_ofd, lock_file(F_OFD_SETLKW, 0))                                                       \
  X(fflush,                                                                                      \
    (setvbuf(output, NULL, _IOFBF, kMuch), fwrite(bytes, 1, kMuch - 1, output), fflush(output))) \
  X(fgetc, fgetc(input))                                                                         \
  X(fgets, fgets(bytes, 9, input))                                                               \
  X(fopen, fopen(fifo, "r"))                                                                     \
  X(fputs, (memset(bytes, 'a', kMuch - 1), fputs(bytes, output)))                                \
  X(fread, fread(bytes, 1, 9, input))                                                            \
  X(fscanf, fscanf(input, "%s", bytes))                                                          \
  X(fwrite, fwrite(bytes, 1, kMuch, output))                                                     \
  X(getline, getline(&(char*){NULL}, &(size_t){0}, input))                                       \
  X(lockf, lock_file(0, 1))                                                                      \
  X(mq_receive, receive_of_mq())                                                                 \
  X(mq_timedreceive, mq_timedreceive(posix_queue, bytes, kMuch, NULL, &far_away))                \
  X(mq_send, for (;;) mq_send(posix_queue, bytes, 8, 0))                                         \
  X(mq_timedsend, for (;;) mq_timedsend(posix_queue, bytes, 8, 0, &far_away))                    \
  X(msgrcv, msgrcv(queue, bytes, 8, 0, 0))                                                       \
  X(msgsnd, send_for_ever())                                                                     \
  X(nanosleep, nanosleep(&(struct timespec){kLong, 0}, NULL))                                    \
  X(open, open(fifo, O_RDONLY))                                                                  \
  X(openat, openat(AT_FDCWD, fifo, O_WRONLY))                                                    \
  X(creat, creat(fifo, 0600))                                                                    \
  X(pause, pause())                                                                              \
  X(poll, poll(&(struct pollfd){ends[0], POLLIN, 0}, 1, -1))                                     \
  X(poll_of_nothing, poll(NULL, 0, -1))                                                          \
  X(ppoll, ppoll(&(struct pollfd){ends[0], POLLIN, 0}, 1, NULL, &none))                          \
  X(preadv2, preadv2(ends[0], &part, 1, -1, 0))                                                  \
  X(pselect, pselect(ends[0] + 1, first_end(), NULL, NULL, NULL, &none))                         \
  X(pthread_join, pthread_join(sleeper, NULL))                                                   \
  X(pwritev2, pwritev2(ends[1], &part, 1, -1, 0))                                                \
  X(read, read(ends[0], bytes, 1))                                                               \
  X(readv, readv(ends[0], &part, 1))                                                             \
  X(recv, recv(sockets[0], bytes, 1, 0))                                                         \
  X(recv_waitall, recv(sockets[0], bytes, 5, MSG_WAITALL))                                       \
  X(recvfrom, recvfrom(sockets[0], bytes, 1, 0, NULL, NULL))                                     \
  X(recvmmsg, recvmmsg(sockets[0], &(struct mmsghdr){message, 0}, 1, 0, NULL))                   \
  X(recvmsg, recvmsg(sockets[0], &message, 0))                                                   \
  X(select, select(ends[0] + 1, first_end(), NULL, NULL, NULL))                                  \
  X(sem_clockwait, sem_clockwait(&never, CLOCK_MONOTONIC, &far_away))                            \
  X(sem_timedwait, sem_timedwait(&never, &far_away))                                             \
  X(sem_wait, sem_wait(&never))                                                                  \
  X(send, send(sockets[0], bytes, kMuch, 0))                                                     \
  X(sendmmsg, sendmmsg(sockets[0], &(struct mmsghdr){message, 0}, 1, 0))                         \
  X(sendmsg, sendmsg(sockets[0], &message, 0))                                                   \
  X(sendto, sendto(sockets[0], bytes, kMuch, 0, NULL, 0))                                        \
  X(sigsuspend, sigsuspend(&none))                                                               \
  X(sigtimedwait, sigtimedwait(&usr1, NULL, &(struct timespec){kLong, 0}))                       \
  X(sigwait, sigwait(&usr1, &(int){0}))                                                          \
  X(sigwaitinfo, sigwaitinfo(&usr1, NULL))                                                       \
  X(sleep, sleep(kLong))                                                                         \
  X(splice, splice(ends[0], NULL, sockets[0], NULL, 5, 0))                                       \
  X(system, system("exec sleep 3"))                                                              \
  X(thrd_join, thrd_join(sleeper, NULL))                                                         \
  X(thrd_sleep, thrd_sleep(&(struct timespec){kLong, 0}, NULL))                                  \
  X(usleep, for (;;) usleep(900000))                                                             \
  X(wait, (child(), wait(NULL)))                                                                 \
  X(wait3, (child(), wait3(NULL, 0, NULL)))                                                      \
  X(wait4, wait4(child(), NULL, 0, NULL))                                                        \
  X(waitid, waitid(P_PID, (id_t)child(), &(siginfo_t){0}, WEXITED))                              \
  X(waitpid, waitpid(child(), NULL, 0))                                                          \
  X(write, write(ends[1], bytes, kMuch))                                                         \
  X(writev, writev(ends[1], &part, 1))

#define DEFINE(name, call)      \
  static void in_##name(void) { \
    call;                       \
  }
CALLS(DEFINE)

/* Of the asynchronous type: cancelled anywhere in its own code. */
static volatile double sum;
static void in_a_loop(void) {
  for (;;) sum += 1;
}
static void in_a_loop_with_libm(void) {
  for (;;) sum = cos(sum);
}
static void in_a_loop_with_errno(void) {
  for (;;) errno = (int)sum;
}

static const struct {
  const char* name;
  void (*wait)(void);
  int is_asynchronous;
} calls[] = {
#define ROW(name, call) {#name, in_##name, 0},
    CALLS(ROW){"a loop", in_a_loop, 1},
    {"a loop with libm", in_a_loop_with_libm, 1},
    {"a loop with errno", in_a_loop_with_errno, 1},
    {"pause of the asynchronous type", in_pause, 1},
    {"msgrcv of the asynchronous type", in_msgrcv, 1}};

static void clean(void* unused) {
  (void)unused;
  ++cleaned;
}
static void* run(void* number) {
  pthread_cleanup_push(clean, NULL);
  if (calls[(long)number].is_asynchronous) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  sem_post(&begun);
  calls[(long)number].wait();
  pthread_cleanup_pop(0);
  return NULL;
}

static void set_up(void) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  pipe(ends);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  input = fdopen(ends[0], "r");
  output = fdopen(ends[1], "w");
  queue = msgget(IPC_PRIVATE, 0600);
  posix_queue = mq_open(fifo + strlen("/tmp"), O_CREAT | O_RDWR, 0600, &attributes);
  mq_unlink(fifo + strlen("/tmp"));
  message = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  process = cleaned = 0;
}
/* A stream that is locked for ever is not closed; a stream with bytes that a full pipe does not take keeps them. */
static int clean_up(void) {
  const int unlocked = ftrylockfile(input) == 0 && ftrylockfile(output) == 0;
  if (process > 0) {
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
  }
  msgctl(queue, IPC_RMID, NULL);
  mq_close(posix_queue);
  close(sockets[0]);
  close(sockets[1]);
  if (unlocked) {
    close(ends[0]);
    close(ends[1]);
  }
  return unlocked;
}

static void cancel(long i, int length) {
  pthread_t thread;
  void* result = NULL;
  set_up();
  pthread_create(&thread, NULL, run, (void*)i);
  sem_wait(&begun);
  if (length != 0)
    usleep((useconds_t)length); /* in its wait by then; what happens does not depend on it */
  const int error = pthread_cancel(thread);
  pthread_join(thread, &result);
  printf("%s: %s, %d, cleaned %d, unlocked %d\n", calls[i].name,
         result == PTHREAD_CANCELED ? "cancelled" : "not cancelled", error, cleaned, clean_up());
  fflush(stdout);
}

static void* sleep_long(void* unused) {
  sleep(kLong);
  return unused;
}

/* Another process holds the lock. */
static pid_t hold_lock(void) {
  int told[2];
  char byte = 0;
  struct flock lock = {.l_type = F_WRLCK};
  pipe(told);
  const pid_t parent = getpid(), holder = fork();
  if (holder == 0) {
    fcntl(open(locked, O_CREAT | O_RDWR, 0600), F_SETLK, &lock);
    write(told[1], &byte, 1);
    live_as_long_as(parent);
  }
  read(told[0], &byte, 1);
  return holder;
}

int main(int argc, char** argv) {
  int rank = 0;
#ifndef PLAIN
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  snprintf(fifo, sizeof fifo, "/tmp/cancelled_calls.%d.%d", (int)getpid(), rank);
  snprintf(locked, sizeof locked, "%s.lock", fifo);
  mkfifo(fifo, 0600);
  const pid_t holder = hold_lock();
  sem_init(&begun, 0, 0);
  sem_init(&never, 0, 0);
  sigemptyset(&none);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  clock_gettime(CLOCK_REALTIME, &far_away);
  far_away.tv_sec += kLong;
  pthread_create(&sleeper, NULL, sleep_long, NULL);
  const int kShort = 0, kBriefly = 3000,
            kAway = 70000; /* before, in its first moments, and later */
  const int lengths[] = {kShort, kBriefly, kAway};
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (argc > 1 && strcmp(argv[1], calls[i].name) != 0) continue;
    for (int k = 0; k < 3; ++k) cancel(i, lengths[k]);
  }
  pthread_cancel(sleeper);
  pthread_join(sleeper, NULL);
  kill(holder, SIGKILL);
  unlink(fifo);
  unlink(locked);
#ifndef PLAIN
  MPI_Finalize();
#endif
  return 0;
}
