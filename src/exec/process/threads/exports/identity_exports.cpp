// The functions that change the user and groups of the process. A strand keeps its worker in them.
//
// They hold libc's lock of thread stacks until each kernel thread has changed itself. A strand that gave its worker
// away meanwhile (exec/ult/preempt/away.h) would keep the lock until it is run again, and pthread_create waits for
// that lock: the next strand of the worker, and even the thread that would take the worker from it.

#include <grp.h>
#include <unistd.h>

#include "base/section_without_switch.h"
#include "exec/process/exports/libc_calls.h"
#include "exec/process/exports/own_code.h"

using namespace heddle;

namespace {

template <class... Arguments>
int change(int (*libc_function)(Arguments...), Arguments... arguments) noexcept {
  const WithoutSwitch until_the_end;
  return libc_function(arguments...);
}

}  // namespace

HEDDLE_EXPORT int setuid(uid_t user) noexcept {
  return change(posix::libc_calls().setuid, user);
}

HEDDLE_EXPORT int seteuid(uid_t user) noexcept {
  return change(posix::libc_calls().seteuid, user);
}

HEDDLE_EXPORT int setreuid(uid_t real, uid_t effective) noexcept {
  return change(posix::libc_calls().setreuid, real, effective);
}

HEDDLE_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return change(posix::libc_calls().setresuid, real, effective, saved);
}

HEDDLE_EXPORT int setgid(gid_t group) noexcept {
  return change(posix::libc_calls().setgid, group);
}

HEDDLE_EXPORT int setegid(gid_t group) noexcept {
  return change(posix::libc_calls().setegid, group);
}

HEDDLE_EXPORT int setregid(gid_t real, gid_t effective) noexcept {
  return change(posix::libc_calls().setregid, real, effective);
}

HEDDLE_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return change(posix::libc_calls().setresgid, real, effective, saved);
}

HEDDLE_EXPORT int setgroups(size_t count, const gid_t* groups) noexcept {
  return change(posix::libc_calls().setgroups, count, groups);
}

// libc's calls its own setgroups.
HEDDLE_EXPORT int initgroups(const char* user, gid_t group) {
  return change(posix::libc_calls().initgroups, user, group);
}
