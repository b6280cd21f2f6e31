// The functions that change the user and groups of the process. While it has ranks they fail with EPERM, unless nothing would
// change: the kernel has a user for each of its threads, libc signals all of them to change itself, and finds a worker's record by the
// thread pointer, which is that of a rank. Nor should one rank change the user of all others.

#include <grp.h>
#include <unistd.h>

#include <cerrno>

#include "exec/process/exports/libc_calls.h"
#include "exec/process/exports/own_code.h"
#include "exec/ult/scheduler.h"

using namespace heddle;

namespace {

// Real, effective and saved.
struct Ids {
  unsigned real = 0, effective = 0, saved = 0;
  bool all_are(unsigned id) const noexcept { return real == id && effective == id && saved == id; }
};

Ids users() noexcept {
  Ids ids;
  getresuid(&ids.real, &ids.effective, &ids.saved);
  return ids;
}

Ids groups() noexcept {
  Ids ids;
  getresgid(&ids.real, &ids.effective, &ids.saved);
  return ids;
}

// As an argument: that of -1 stays.
bool stays(unsigned wanted, unsigned present) noexcept {
  return wanted == static_cast<unsigned>(-1) || wanted == present;
}

template <class... Arguments>
int change(bool changes, int (*libc_function)(Arguments...), Arguments... arguments) noexcept {
  if (!ult::running()) return libc_function(arguments...);
  if (!changes) return 0;
  errno = EPERM;
  return -1;
}

// For setreuid and setregid, which may set the saved one, too.
bool changes_two(const Ids& ids, unsigned real, unsigned effective) noexcept {
  return !stays(real, ids.real) || !stays(effective, ids.effective) || ids.saved != ids.effective;
}

bool changes_three(const Ids& ids, unsigned real, unsigned effective, unsigned saved) noexcept {
  return !stays(real, ids.real) || !stays(effective, ids.effective) || !stays(saved, ids.saved);
}

}  // namespace

HEDDLE_EXPORT int setuid(uid_t user) noexcept {
  return change(!users().all_are(user), posix::libc_calls().setuid, user);
}

HEDDLE_EXPORT int seteuid(uid_t user) noexcept {
  return change(!stays(user, users().effective), posix::libc_calls().seteuid, user);
}

HEDDLE_EXPORT int setreuid(uid_t real, uid_t effective) noexcept {
  return change(changes_two(users(), real, effective), posix::libc_calls().setreuid, real,
                effective);
}

HEDDLE_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return change(changes_three(users(), real, effective, saved), posix::libc_calls().setresuid, real,
                effective, saved);
}

HEDDLE_EXPORT int setgid(gid_t group) noexcept {
  return change(!groups().all_are(group), posix::libc_calls().setgid, group);
}

HEDDLE_EXPORT int setegid(gid_t group) noexcept {
  return change(!stays(group, groups().effective), posix::libc_calls().setegid, group);
}

HEDDLE_EXPORT int setregid(gid_t real, gid_t effective) noexcept {
  return change(changes_two(groups(), real, effective), posix::libc_calls().setregid, real,
                effective);
}

HEDDLE_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return change(changes_three(groups(), real, effective, saved), posix::libc_calls().setresgid,
                real, effective, saved);
}

HEDDLE_EXPORT int setgroups(size_t count, const gid_t* list) noexcept {
  return change(true, posix::libc_calls().setgroups, count, list);
}

HEDDLE_EXPORT int initgroups(const char* user, gid_t group) {
  return change(true, posix::libc_calls().initgroups, user, group);
}
