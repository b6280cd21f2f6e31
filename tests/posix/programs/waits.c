/* Calls that wait for descriptors, in a thread whose partner has the same worker. Without mpiexec the kernel makes them: what it
 * prints then is what each rank must print. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLarge = 1 << 20 };

/* The partner acts when the other thread waits, most likely; the results do not depend on it. */
static void let_it_wait(void) {
  usleep(3000);
}

static pthread_t started;
static void start(void* (*run)(void*), void* argument) {
  if (pthread_create(&started, NULL, run, argument) != 0) exit(2);
}
static void join(void) {
  pthread_join(started, NULL);
}

static void tell(const char* what, long result) {
  const int error = result < 0 ? errno : 0;
  printf("%s: %ld %s\n", what, result, error != 0 ? strerrorname_np(error) : "");
}

static void* write_abc(void* end) {
  let_it_wait();
  if (write(*(int*)end, "abc", 3) != 3) exit(3);
  return NULL;
}

/* Reads kLarge bytes of a known pattern; the count of wrong ones. */
static void* read_large(void* end) {
  static char bytes[10000];
  long wrong = 0;
  for (int done = 0; done < kLarge;) {
    const ssize_t size = read(*(int*)end, bytes, sizeof bytes);
    if (size <= 0) exit(4);
    for (int i = 0; i < size; ++i) wrong += bytes[i] != (char)((done + i) % 251);
    done += (int)size;
    if (done % 7 == 0) usleep(100);
  }
  return (void*)wrong;
}

static char* large(void) {
  static char bytes[kLarge];
  for (int i = 0; i < kLarge; ++i) bytes[i] = (char)(i % 251);
  return bytes;
}

static void tell_large(const char* what, long result) {
  void* wrong = NULL;
  pthread_join(started, &wrong);
  tell(what, result);
  printf("  wrong: %ld\n", (long)wrong);
}

static void pipes(void) {
  int ends[2];
  char bytes[100];
  pipe(ends);
  start(write_abc, &ends[1]);
  tell("read", read(ends[0], bytes, sizeof bytes));
  join();
  start(write_abc, &ends[1]);
  char first, rest[10];
  const struct iovec parts[2] = {{&first, 1}, {rest, sizeof rest}};
  tell("readv", readv(ends[0], parts, 2));
  join();
  start(read_large, &ends[0]);
  tell_large("write of much", write(ends[1], large(), kLarge));
  start(read_large, &ends[0]);
  const struct iovec halves[2] = {{large(), 5}, {large() + 5, kLarge - 5}};
  tell_large("writev of much", writev(ends[1], halves, 2));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  tell("read of nothing, O_NONBLOCK", read(ends[0], bytes, sizeof bytes));
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  printf("write of much, O_NONBLOCK: %s\n",
         write(ends[1], large(), kLarge) < kLarge ? "a part" : "all");
  close(ends[0]);
  tell("write to no reader", write(ends[1], "x", 1));
  close(ends[1]);

  /* The number of a file becomes a pipe's. */
  char path[] = "/tmp/waitsXXXXXX";
  const int file = mkstemp(path);
  unlink(path);
  tell("write to a file", write(file, "12345", 5));
  lseek(file, 0, SEEK_SET);
  tell("read of a file", read(file, bytes, sizeof bytes));
  tell("read at its end", read(file, bytes, sizeof bytes));
  pipe(ends);
  dup2(ends[0], file);
  start(write_abc, &ends[1]);
  tell("read of its number, now a pipe", read(file, bytes, sizeof bytes));
  join();
  close(file);
  close(ends[0]);
  close(ends[1]);
}

static void* send_twice(void* socket) {
  let_it_wait();
  send(*(int*)socket, "ab", 2, 0);
  let_it_wait();
  send(*(int*)socket, "cd", 2, 0);
  return NULL;
}

static void* take_datagrams(void* socket) {
  char bytes[2000];
  for (int i = 0; i < 200; ++i) {
    if (recv(*(int*)socket, bytes, sizeof bytes, 0) != 100 + i || bytes[0] != (char)i) exit(5);
    if (i % 20 == 0) usleep(500);
  }
  return NULL;
}

static void sockets(void) {
  int ends[2];
  char bytes[100];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  start(write_abc, &ends[1]);
  tell("recv", recv(ends[0], bytes, sizeof bytes, 0));
  join();
  start(send_twice, &ends[1]);
  tell("recv, MSG_WAITALL", recv(ends[0], bytes, 4, MSG_WAITALL));
  join();
  tell("recv, MSG_DONTWAIT", recv(ends[0], bytes, 4, MSG_DONTWAIT));
  const struct timeval short_time = {0, 20000};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
  tell("recv, SO_RCVTIMEO", recv(ends[0], bytes, 4, 0));
  tell("read, SO_RCVTIMEO", read(ends[0], bytes, 4));
  const struct timeval none = {0, 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  start(read_large, &ends[0]);
  tell_large("send of much", send(ends[1], large(), kLarge, 0));
  start(read_large, &ends[0]);
  struct iovec all = {large(), kLarge};
  struct msghdr message = {.msg_iov = &all, .msg_iovlen = 1};
  tell_large("sendmsg of much", sendmsg(ends[1], &message, 0));
  start(write_abc, &ends[1]);
  struct iovec room = {bytes, sizeof bytes};
  struct msghdr received = {.msg_iov = &room, .msg_iovlen = 1};
  tell("recvmsg", recvmsg(ends[0], &received, 0));
  join();
  close(ends[1]);
  tell("recv at the end", recv(ends[0], bytes, 4, 0));
  close(ends[0]);

  socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
  start(take_datagrams, &ends[0]);
  long sent = 0;
  for (int i = 0; i < 200; ++i) {
    static char datagram[300];
    datagram[0] = (char)i;
    sent += send(ends[1], datagram, (size_t)(100 + i), 0);
  }
  join();
  tell("datagrams", sent);
  close(ends[0]);
  close(ends[1]);
}

struct Listener {
  int socket;
  struct sockaddr_storage address;
  socklen_t length;
};

static void* connect_and_send(void* argument) {
  const struct Listener* to = argument;
  let_it_wait();
  const int socket_ = socket(to->address.ss_family, SOCK_STREAM, 0);
  if (connect(socket_, (const struct sockaddr*)&to->address, to->length) != 0) exit(6);
  if (fcntl(socket_, F_GETFL) & O_NONBLOCK) exit(7);
  if (send(socket_, "hello", 5, 0) != 5) exit(8);
  close(socket_);
  return NULL;
}

static void take_connection(const char* what, struct Listener* listener) {
  char bytes[100];
  listen(listener->socket, 5);
  listener->length = sizeof listener->address;
  getsockname(listener->socket, (struct sockaddr*)&listener->address, &listener->length);
  start(connect_and_send, listener);
  const int taken = accept(listener->socket, NULL, NULL);
  printf("%s: accept: %s\n", what, taken >= 0 ? "a socket" : "no socket");
  tell("recv", recv(taken, bytes, 5, MSG_WAITALL));
  join();
  close(taken);
  close(listener->socket);
}

static void connections(void) {
  struct Listener listener = {.socket = socket(AF_INET, SOCK_STREAM, 0)};
  struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  bind(listener.socket, (struct sockaddr*)&loopback, sizeof loopback);
  take_connection("TCP", &listener);
  const int refused = socket(AF_INET, SOCK_STREAM, 0);
  tell("connect to none",
       connect(refused, (const struct sockaddr*)&listener.address, listener.length));
  close(refused);
  listener.socket = socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr local = {.sa_family = AF_UNIX};
  bind(listener.socket, &local, sizeof local.sa_family); /* the kernel chooses a name */
  take_connection("UNIX", &listener);
}

static void several(void) {
  int one[2], two[2];
  char bytes[10];
  pipe(one);
  pipe(two);
  start(write_abc, &two[1]);
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(one[0], &reads);
  FD_SET(two[0], &reads);
  struct timeval time = {1000, 0};
  const int most = one[0] > two[0] ? one[0] : two[0];
  tell("select", select(most + 1, &reads, NULL, NULL, &time));
  printf("  sets: %d %d, time left: %d\n", FD_ISSET(one[0], &reads) != 0,
         FD_ISSET(two[0], &reads) != 0, time.tv_sec >= 900 && time.tv_sec < 1000);
  join();
  time = (struct timeval){0, 20000};
  FD_ZERO(&reads);
  FD_SET(one[0], &reads);
  tell("select, no time left", select(one[0] + 1, &reads, NULL, NULL, &time));
  printf("  sets: %d, time left: %ld\n", FD_ISSET(one[0], &reads) != 0,
         (long)(time.tv_sec + time.tv_usec));
  read(two[0], bytes, 3);

  start(write_abc, &two[1]);
  struct pollfd wanted[3] = {{one[0], POLLIN, 0}, {-1, POLLIN, 0}, {two[0], POLLIN, 0}};
  tell("poll", poll(wanted, 3, -1));
  printf("  events: %d %d %d\n", wanted[0].revents, wanted[1].revents, wanted[2].revents == POLLIN);
  join();
  tell("poll, no time left", poll(wanted, 1, 20));
  const struct timespec some = {0, 20000000}, wrong = {0, -1};
  tell("ppoll, no time left", ppoll(wanted, 1, &some, NULL));
  tell("ppoll, no time", ppoll(wanted, 1, &wrong, NULL));
  tell("poll without descriptors", poll(NULL, 0, 5));
  wanted[0].fd = 1000000;
  tell("poll of none", poll(wanted, 1, -1));
  printf("  events: %d\n", wanted[0].revents == POLLNVAL);
  read(two[0], bytes, 3);

  const int set = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.fd = two[0]}};
  epoll_ctl(set, EPOLL_CTL_ADD, two[0], &event);
  start(write_abc, &two[1]);
  struct epoll_event events[4];
  tell("epoll_wait", epoll_wait(set, events, 4, -1));
  printf("  of the right one: %d\n", events[0].data.fd == two[0]);
  join();
  read(two[0], bytes, 3);
  tell("epoll_wait, no time left", epoll_wait(set, events, 4, 20));
  close(set);

  start(write_abc, &two[1]);
  const pid_t child = fork();
  if (child == 0) _exit(read(two[0], bytes, 3) == 3 ? 7 : 1);
  int status = 0;
  printf("waitpid: %d", waitpid(child, &status, 0) == child);
  printf(" exited %d\n", WEXITSTATUS(status));
  join();
  close(one[0]), close(one[1]), close(two[0]), close(two[1]);
}

static volatile int handled;
static void handle(int signal) {
  handled = signal;
}

static void interrupted(void) {
  int ends[2];
  char bytes[10];
  pipe(ends);
  struct pollfd wanted = {ends[0], POLLIN, 0};
  struct sigaction action = {.sa_handler = handle};
  // Again and again: on a crowded machine the first one may come before the wait begins.
  const struct itimerval soon = {.it_value = {0, 20000}, .it_interval = {0, 20000}}, never = {0};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  tell("read, a handler runs", read(ends[0], bytes, 10));
  setitimer(ITIMER_REAL, &soon, NULL);
  tell("poll, a handler runs", poll(&wanted, 1, -1));
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &soon, NULL);
  tell("poll, a handler with SA_RESTART runs", poll(&wanted, 1, -1));
  handled = 0;
  setitimer(ITIMER_REAL, &soon, NULL);
  start(write_abc, &ends[1]);
  tell("read, a handler with SA_RESTART runs", read(ends[0], bytes, 10));
  join();
  while (!handled) usleep(1000);
  setitimer(ITIMER_REAL, &never, NULL);
  close(ends[0]);
  close(ends[1]);
}

static void* read_for_ever(void* end) {
  char byte;
  read(*(int*)end, &byte, 1);
  return NULL;
}

static void cancelled(void) {
  int ends[2];
  pipe(ends);
  start(read_for_ever, &ends[0]);
  let_it_wait();
  pthread_cancel(started);
  void* result = NULL;
  pthread_join(started, &result);
  printf("a thread in read: %s\n", result == PTHREAD_CANCELED ? "cancelled" : "ended");
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  pipes();
  sockets();
  connections();
  several();
  interrupted();
  cancelled();
  return 0;
}
