/* A rank cannot change the user and groups of all ranks: EPERM. To ask for what is there does nothing, and a child, or a program that
 * runs alone ("alone"), changes as any process. Root becomes another user; others can only become what they are. Prints "ok". */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kOther = 65534 };

static int failed;

#define CHECK(condition)                           \
  if (!(condition)) {                              \
    failed = 1;                                    \
    printf("line %d: %s\n", __LINE__, #condition); \
  }

static int is_refused(int result) {
  return result == -1 && errno == EPERM;
}

static void check_refusals(void) {
  const gid_t group = kOther;
  CHECK(is_refused(setuid(kOther)));
  CHECK(is_refused(seteuid(kOther)));
  CHECK(is_refused(setreuid(kOther, -1)));
  CHECK(is_refused(setresuid(-1, kOther, -1)));
  CHECK(is_refused(setgid(kOther)));
  CHECK(is_refused(setegid(kOther)));
  CHECK(is_refused(setregid(-1, kOther)));
  CHECK(is_refused(setresgid(kOther, kOther, kOther)));
  CHECK(is_refused(setgroups(1, &group)));
  CHECK(is_refused(initgroups("nobody", kOther)));
}

static void check_what_changes_nothing(void) {
  CHECK(setuid(getuid()) == 0);
  CHECK(seteuid(geteuid()) == 0);
  CHECK(setreuid(-1, geteuid()) == 0);
  CHECK(setresuid(-1, -1, -1) == 0);
  CHECK(setgid(getgid()) == 0);
  CHECK(setegid(getegid()) == 0);
  CHECK(setregid(getgid(), -1) == 0);
  CHECK(setresgid(getgid(), getegid(), -1) == 0);
}

/* The kernel's answer is that of the thread. */
static int becomes_another(void) {
  const uid_t other = getuid() == 0 ? kOther : getuid();
  return setuid(other) == 0 && (uid_t)syscall(SYS_geteuid) == other;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const uid_t user = geteuid();
  if (argc == 1) check_refusals();
  check_what_changes_nothing();
  CHECK((uid_t)syscall(SYS_geteuid) == user);
  int status = -1;
  const pid_t child = fork();
  if (child == 0) _exit(becomes_another() ? 0 : 1);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  if (argc > 1) CHECK(becomes_another());
  if (!failed) puts("ok");
  MPI_Finalize();
  return failed;
}
