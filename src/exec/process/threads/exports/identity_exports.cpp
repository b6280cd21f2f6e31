// The functions that change the user and groups of the process. While it has ranks they fail with
// EPERM, unless nothing would change: the kernel has a user for each of its threads, libc signals
// all of them to change itself, and finds a worker's record by the thread pointer, which is that of
// a rank. Nor should one rank change the user of all others.

#include <grp.h>
#include <unistd.h>

#include <cerrno>

#include "exec/process/exports/libc.h"
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

#include "identity_exports.inc"
