/* Calls and names that mean descriptors 0 to 2, after a program has redirected these: each acts on what the program has there. Prints
   what each did, which a process of its own prints as well. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char** environ;

static char report[8192], file[64], other[64];
static size_t reported;

static void say(const char* call, long result) {
  struct stat status;
  const long size = stat(file, &status) == 0 ? (long)status.st_size : -1;
  reported += (size_t)snprintf(report + reported, sizeof report - reported, "%s: %ld, %ld bytes\n",
                               call, result, size);
}

static long write_and_close(int descriptor) {
  const long written = descriptor < 0 ? -errno : write(descriptor, "by name ", 8);
  if (descriptor >= 0) close(descriptor);
  return written;
}

static void send_and_write(int descriptor) {
  int ends[2], received = -1;
  char byte = 'x', room[CMSG_SPACE(sizeof(int))] = "";
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* const right = CMSG_FIRSTHDR(&message);
  right->cmsg_level = SOL_SOCKET;
  right->cmsg_type = SCM_RIGHTS;
  right->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(right), &descriptor, sizeof descriptor);
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  sendmsg(ends[0], &message, 0);
  recvmsg(ends[1], &message, 0);
  memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof received);
  say("SCM_RIGHTS", write_and_close(received));
  close(ends[0]);
  close(ends[1]);
}

static void spawn(const char* command) {
  char* const words[] = {"sh", "-c", (char*)command, NULL};
  pid_t child;
  int status = -1;
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0) waitpid(child, &status, 0);
  say("posix_spawn", status);
}

static void write_files_by_number(const struct stat* status) {
  char link[200] = "";
  struct stat by_name;
  say("syscall openat",
      write_and_close((int)syscall(SYS_openat, AT_FDCWD, "/dev/stdout", O_WRONLY | O_APPEND)));
  say("syscall openat /proc/self/fd/1",
      write_and_close((int)syscall(SYS_openat, AT_FDCWD, "/proc/self/fd/1", O_WRONLY | O_APPEND)));
  say("syscall readlinkat", syscall(SYS_readlinkat, AT_FDCWD, "/dev/fd/1", link, sizeof link) > 0 &&
                                strstr(link, file) != NULL);
  say("syscall newfstatat", syscall(SYS_newfstatat, AT_FDCWD, "/dev/stdout", &by_name, 0) +
                                (by_name.st_ino == status->st_ino));
  say("syscall faccessat", syscall(SYS_faccessat, AT_FDCWD, "/dev/stdout", W_OK));
  say("syscall fchmodat", syscall(SYS_fchmodat, AT_FDCWD, "/dev/stdout", 0600));
  say("syscall truncate", syscall(SYS_truncate, "/dev/stdout", 200));
  struct open_how how = {.flags = O_WRONLY | O_APPEND};
  say("syscall openat2",
      write_and_close((int)syscall(SYS_openat2, AT_FDCWD, "/dev/stdout", &how, sizeof how)));
  how.mode = 0600;
  say("syscall openat2 with a mode in vain",
      syscall(SYS_openat2, AT_FDCWD, "/dev/stdout", &how, sizeof how) * 1000 + errno);
  say("syscall openat2 of an old kernel",
      syscall(SYS_openat2, AT_FDCWD, "/dev/stdout", &how, 8) * 1000 + errno);
  const struct timespec times[2] = {{1000, 0}, {2000, 0}};
  say("syscall utimensat", syscall(SYS_utimensat, AT_FDCWD, "/dev/stdout", times, 0) +
                               stat(file, &by_name) + by_name.st_mtim.tv_sec);
  say("syscall utimensat of a descriptor", syscall(SYS_utimensat, 1, NULL, NULL, 0) +
                                               stat(file, &by_name) +
                                               (by_name.st_mtim.tv_sec > 2000));
  say("syscall of no file", syscall(SYS_openat, AT_FDCWD, "/nowhere", O_RDONLY) * 1000 + errno);
#ifdef SYS_open
  say("syscall open", write_and_close((int)syscall(SYS_open, "/dev/stdout", O_WRONLY | O_APPEND)));
  say("syscall stat",
      syscall(SYS_stat, "/proc/self/fd/1", &by_name) + (by_name.st_ino == status->st_ino));
  say("syscall chmod", syscall(SYS_chmod, "/dev/stdout", 0640));
#endif
}

/* Of the lists that name 0. */
static void look_by_number(int poller) {
  struct pollfd one = {0, POLLIN, 0};
  struct timespec now = {0, 0};
  const unsigned long none = 0;
  const struct {
    const unsigned long* word;
    size_t size;
  } mask = {&none, sizeof none};
  struct epoll_event event;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(0, &set);
  say("syscall ppoll", syscall(SYS_ppoll, &one, 1, &now, NULL, 0) * 100 + one.revents);
  say("syscall ppoll with a mask",
      syscall(SYS_ppoll, &one, 1, &now, &none, sizeof none) * 100 + one.revents);
  say("syscall ppoll with no mask", syscall(SYS_ppoll, &one, 1, &now, &none, 3) * 100 + errno);
  say("syscall pselect6",
      syscall(SYS_pselect6, 1, &set, NULL, NULL, &now, &mask) * 10 + FD_ISSET(0, &set));
  say("syscall epoll_pwait", syscall(SYS_epoll_pwait, poller, &event, 1, 0, NULL, 0));
  say("syscall epoll_pwait2", syscall(SYS_epoll_pwait2, poller, &event, 1, &now, NULL, 0));
#ifdef SYS_poll
  struct timeval at_once = {0, 0};
  FD_SET(0, &set);
  say("syscall poll", syscall(SYS_poll, &one, 1, 0) * 100 + one.revents);
  say("syscall select",
      syscall(SYS_select, 1, &set, NULL, NULL, &at_once) * 10 + FD_ISSET(0, &set));
#endif
}

static void write_files(void) {
  const int made = open(file, O_CREAT | O_RDWR | O_TRUNC, 0644);
  dup2(made, 1);
  close(made);
  struct iovec part = {"eight by", 8};
  struct stat status, by_name;
  struct statfs mounted;
  struct statvfs values;
  struct termios settings;
  char bytes[9] = "", link[200] = "";
  struct iovec room = {bytes, 8};
  say("write", write(1, "a", 1));
  say("writev", writev(1, &part, 1));
  say("pwrite", pwrite(1, "bytes", 5, 20));
  say("pwritev", pwritev(1, &part, 1, 30));
  say("pwritev2", pwritev2(1, &part, 1, 40, 0));
  say("pread", pread(1, bytes, 5, 20));
  say("preadv", preadv(1, &room, 1, 40));
  say("preadv2", preadv2(1, &room, 1, 40, 0));
  say("lseek", lseek(1, 0, SEEK_END));
  say("fallocate", fallocate(1, 0, 0, 100));
  say("posix_fallocate", posix_fallocate(1, 0, 110));
  say("ftruncate", ftruncate(1, 60));
  say("truncate", truncate("/dev/stdout", 70));
  say("posix_fadvise", posix_fadvise(1, 0, 0, POSIX_FADV_NORMAL));
  say("fsync", fsync(1));
  say("fdatasync", fdatasync(1));
  say("syncfs", syncfs(1));
  say("sync_file_range", sync_file_range(1, 0, 0, 0));
  say("fchmod", fchmod(1, 0600));
  say("chmod", chmod("/dev/fd/1", 0640));
  say("fstat", fstat(1, &status) * 1000 + (long)(status.st_mode & 0777));
  say("stat", stat("/dev/stdout", &by_name) + (by_name.st_ino == status.st_ino));
  say("fstatat", fstatat(1, "", &by_name, AT_EMPTY_PATH) + (by_name.st_ino == status.st_ino));
  say("fstatfs", fstatfs(1, &mounted) == 0 ? 0 : -errno);
  say("fstatvfs", fstatvfs(1, &values) == 0 ? 0 : -errno);
  say("fpathconf", fpathconf(1, _PC_NAME_MAX));
  say("futimens", futimens(1, NULL));
  say("isatty", isatty(1));
  say("tcgetattr", tcgetattr(1, &settings) == 0 ? 0 : -errno);
  say("fchown", fchown(1, (uid_t)-1, (gid_t)-1));
  say("open /dev/stdout", write_and_close(open("/dev/stdout", O_WRONLY | O_APPEND)));
  say("open /dev/fd/1", write_and_close(open("/dev/fd/1", O_WRONLY | O_APPEND)));
  say("open /proc/self/fd/1", write_and_close(open("/proc/self/fd/1", O_WRONLY | O_APPEND)));
  say("open /proc/thread-self/fd/1",
      write_and_close(open("/proc/thread-self/fd/1", O_WRONLY | O_APPEND)));
  FILE* const stream = fopen("/dev/stdout", "a");
  say("fopen", stream != NULL && fputs("by a stream ", stream) >= 0 ? fclose(stream) : -1);
  say("readlink", readlink("/proc/self/fd/1", link, sizeof link) > 0 && strstr(link, file) != NULL);
  memset(link, 0, sizeof link);
  say("readlink of a link",
      readlink("/dev/fd/1", link, sizeof link) > 0 && strstr(link, file) != NULL);
  say("realpath", realpath("/dev/stdout", link) != NULL && strstr(link, file) != NULL);
  say("access", access("/dev/stdout", W_OK));
  say("dprintf", dprintf(1, "%s", "ten bytes "));
  say("dup", write_and_close(dup(1)));
  say("fcntl", write_and_close(fcntl(1, F_DUPFD, 10)));
  say("syscall write", syscall(SYS_write, 1, "by number ", 10));
  say("syscall fstat", syscall(SYS_fstat, 1, &by_name) + (by_name.st_ino == status.st_ino));
  write_files_by_number(&status);
  struct aiocb request = {
      .aio_fildes = 1, .aio_buf = "by aio ", .aio_nbytes = 7, .aio_offset = 300};
  const struct aiocb* const requests[] = {&request};
  aio_write(&request);
  while (aio_error(&request) == EINPROGRESS) aio_suspend(requests, 1, NULL);
  say("aio_write", aio_return(&request));
  const int source = open("/proc/self/exe", O_RDONLY);
  int ends[2];
  pipe(ends);
  lseek(1, 400, SEEK_SET);
  say("sendfile", sendfile(1, source, NULL, 50));
  say("copy_file_range", copy_file_range(1, &(off64_t){0}, 1, &(off64_t){500}, 40, 0));
  write(ends[1], "through a pipe", 14);
  lseek(1, 600, SEEK_SET);
  say("splice", splice(ends[0], NULL, 1, NULL, 14, 0));
  close(source);
  close(ends[0]);
  close(ends[1]);
  lseek(1, 0, SEEK_END);
  send_and_write(1);
  say("system", system("echo a child writes"));
  spawn("echo another child writes");
}

static void read_pipe(void) {
  int ends[2], sockets[2], count = -1;
  char byte;
  pipe(ends);
  dup2(ends[0], 0);
  close(ends[0]);
  struct pollfd one[2] = {{0, POLLIN, 0}, {ends[1], POLLOUT, 0}};
  struct timeval now = {0, 0};
  struct epoll_event event = {.events = EPOLLIN};
  const int poller = epoll_create1(0);
  fd_set set;
  for (int i = 0; i < 2; ++i) {
    FD_ZERO(&set);
    FD_SET(0, &set);
    say("poll", poll(one, 2, 0) * 100 + one[0].revents * 10 + one[1].revents);
    say("select", select(1, &set, NULL, NULL, &now) * 10 + FD_ISSET(0, &set));
    if (i == 0) say("epoll_ctl", epoll_ctl(poller, EPOLL_CTL_ADD, 0, &event));
    say("epoll_wait", epoll_wait(poller, &event, 1, 0));
    say("FIONREAD", ioctl(0, FIONREAD, &count) * 100 + count);
    look_by_number(poller);
    if (i == 0) write(ends[1], "xy", 2);
  }
  say("read", read(0, &byte, 1));
  struct iovec part = {&byte, 1};
  say("readv", readv(0, &part, 1));
  close(ends[1]);
  say("the end", read(0, &byte, 1));
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  dup2(sockets[0], 0);
  close(sockets[0]);
  write(sockets[1], "pq", 2);
  say("recv", recv(0, &byte, 1, 0));
  say("write to a socket", write(0, "a", 1));
  say("send", send(0, "a", 1, 0));
  say("shutdown", shutdown(0, SHUT_WR));
  char bytes[4];
  say("the other end", read(sockets[1], bytes, 4));
  close(0);
  one[0].revents = 0;
  say("poll of a closed one", poll(one, 1, 0) * 100 + one[0].revents);
  say("open of a closed one", open("/dev/stdin", O_RDONLY));
  close(sockets[1]);
  close(poller);
}

static void put_at_0(int descriptor) {
  if (descriptor == 0) return;  // where it was closed, an open takes it
  dup2(descriptor, 0);
  close(descriptor);
}

static void use_folder(void) {
  char name[80], link[80];
  snprintf(name, sizeof name, "%s.folder", file);
  put_at_0(open(".", O_RDONLY | O_DIRECTORY));
  say("mkdirat", mkdirat(0, name, 0700));
  const int folder = openat(0, name, O_RDONLY | O_DIRECTORY);
  say("openat", folder < 0);
  put_at_0(folder);
  say("symlinkat", symlinkat("nowhere", 0, "link"));
  say("syscall mkdirat", syscall(SYS_mkdirat, 0, "made by number", 0700) +
                             syscall(SYS_unlinkat, 0, "made by number", AT_REMOVEDIR));
  say("syscall fchdir", syscall(SYS_fchdir, 0) + readlink("link", link, sizeof link));
  say("syscall chdir", syscall(SYS_chdir, ".."));
  say("renameat", renameat(0, "link", 0, "other"));
  DIR* const listed = fdopendir(0);
  int count = 0;
  while (listed != NULL && readdir(listed) != NULL) ++count;
  if (listed != NULL) closedir(listed);
  say("fdopendir", count);
  put_at_0(open(name, O_RDONLY | O_DIRECTORY));
  say("unlinkat", unlinkat(0, "other", 0));
  close(0);
  say("rmdir", rmdir(name));
}

static void accept_there(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", file) + 1 +
               (int)sizeof(sa_family_t);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0), caller = socket(AF_UNIX, SOCK_STREAM, 0);
  put_at_0(listener);
  say("bind", bind(0, (struct sockaddr*)&address, (socklen_t)length));
  say("listen", listen(0, 1));
  say("connect", connect(caller, (struct sockaddr*)&address, (socklen_t)length));
  const int accepted = accept(0, NULL, NULL);
  say("accept", accepted < 0);
  close(accepted);
  close(caller);
  close(0);
}

static void write_errors(void) {
  void* frames[3];
  char bytes[4096] = "";
  const int made = open(other, O_CREAT | O_RDWR | O_TRUNC, 0644), before = dup(2);
  dup2(made, 2);
  backtrace_symbols_fd(frames, backtrace(frames, 3), 2);
  errno = ENOENT;
  perror("perror");
  psignal(SIGINT, "psignal");
  fflush(stderr);
  pread(made, bytes, sizeof bytes - 1, 0);
  say("backtrace_symbols_fd", strstr(bytes, "[0x") != NULL);
  say("perror", strstr(bytes, "perror: No such file") != NULL);
  say("psignal", strstr(bytes, "psignal: Interrupt") != NULL);
  close(made);
  dup2(before, 2);
  close(before);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(file, sizeof file, "redirected.%d.%d", (int)getpid(), rank);
  snprintf(other, sizeof other, "redirected_errors.%d.%d", (int)getpid(), rank);
  const int output = dup(1);
  write_files();
  fflush(stdout);
  dup2(output, 1);
  close(output);
  write_errors();
  read_pipe();
  use_folder();
  accept_there();
  unlink(file);
  unlink(other);
  fputs(report, stdout);
  MPI_Finalize();
  return 0;
}
