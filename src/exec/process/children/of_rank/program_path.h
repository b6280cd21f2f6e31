// program_path.h — where execvp and its kind look for a program: in the PATH of this rank, which
// libc does not know.
//
// Thread safety: any strand of the rank.

#pragma once

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace heddle::process::of_rank {

// Calls try_it(path) for each place where `file` may be, until it returns true. Returns false with
// execvp's errno if it never does.
template <class Try>
bool find_program(const char* file, Try try_it) noexcept {
  if (strchr(file, '/') != nullptr) return try_it(file);
  const size_t length = strlen(file);
  const char* search = getenv("PATH");
  if (search == nullptr) search = "/bin:/usr/bin";
  int error = ENOENT;
  if (length == 0 || length > NAME_MAX) {
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    return false;
  }
  for (const char* end = search; end != nullptr; search = end + 1) {
    end = strchr(search, ':');
    const size_t folder = end != nullptr ? static_cast<size_t>(end - search) : strlen(search);
    char path[PATH_MAX + NAME_MAX + 2];
    if (folder < PATH_MAX) {
      // An empty place is the working directory.
      char* name = static_cast<char*>(mempcpy(path, search, folder));
      if (folder != 0) *name++ = '/';
      memcpy(name, file, length + 1);
      if (try_it(path)) return true;
      if (errno == EACCES) error = EACCES;
      const bool goes_on = errno == EACCES || errno == ENOENT || errno == ENOTDIR ||
                           errno == ESTALE || errno == ENODEV || errno == ETIMEDOUT;
      if (!goes_on) return false;
    }
    if (end == nullptr) break;
  }
  errno = error;
  return false;
}

}  // namespace heddle::process::of_rank
