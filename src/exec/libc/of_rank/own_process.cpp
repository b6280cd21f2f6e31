#include "exec/libc/of_rank/own_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/libc/of_rank/hosted.h"
#include "exec/libc/of_rank/lock.h"

namespace heddle::libc_of_rank {
namespace {

constinit char own_name[kNameBytes] = "";

bool begins_with(const char* text, const char* start) noexcept {
  return strncmp(text, start, strlen(start)) == 0;
}

// What follows /proc/self/, /proc/thread-self/ or /proc/PID/; nullptr for any other path.
const char* entry_of(const char* path) noexcept {
  if (path == nullptr || !begins_with(path, "/proc/") || hooks() == nullptr) return nullptr;
  char by_number[32];
  snprintf(by_number, sizeof by_number, "/proc/%d/", static_cast<int>(getpid()));
  const char* const starts[] = {"/proc/self/", "/proc/thread-self/", by_number};
  for (const char* start : starts) {
    if (begins_with(path, start)) return path + strlen(start);
  }
  return nullptr;
}

bool write_all(int descriptor, const char* bytes, size_t size) noexcept {
  return write(descriptor, bytes, size) == static_cast<ssize_t>(size);
}

bool write_arguments(int descriptor) noexcept {
  for (int i = 0; i < hooks()->argc; ++i) {
    if (!write_all(descriptor, hooks()->argv[i], strlen(hooks()->argv[i]) + 1)) return false;
  }
  return true;
}

bool write_name(int descriptor) noexcept {
  char name[kNameBytes];
  get_own_name(name);
  return dprintf(descriptor, "%s\n", name) > 0;
}

}  // namespace

const char* own_program(const char* path) noexcept {
  const char* entry = entry_of(path);
  return entry != nullptr && strcmp(entry, "exe") == 0 ? hooks()->program : nullptr;
}

int open_own(const char* path, int flags) noexcept {
  const char* entry = entry_of(path);
  if (entry == nullptr || (flags & O_ACCMODE) != O_RDONLY) return -1;
  const bool arguments = strcmp(entry, "cmdline") == 0;
  if (!arguments && strcmp(entry, "comm") != 0) return -1;
  const int error = errno;
  // libc's: it is the rank's only when the caller says so.
  static auto* const make = next<int(const char*, unsigned)>("memfd_create");
  static auto* const unmake = next<int(int)>("close");
  const int file = make("process", MFD_CLOEXEC);
  const bool written = file >= 0 && (arguments ? write_arguments(file) : write_name(file)) &&
                       lseek(file, 0, SEEK_SET) == 0;
  errno = error;
  if (written) return file;
  if (file >= 0) unmake(file);
  return -1;
}

void get_own_name(char (&name)[kNameBytes]) noexcept {
  Guard guard(Guarded::kOwnName);
  if (own_name[0] == '\0') {
    const char* slash = strrchr(hooks()->program, '/');
    strncat(own_name, slash != nullptr ? slash + 1 : hooks()->program, kNameBytes - 1);
  }
  memcpy(name, own_name, kNameBytes);
}

void set_own_name(const char* name) noexcept {
  Guard guard(Guarded::kOwnName);
  memset(own_name, 0, kNameBytes);
  strncat(own_name, name, kNameBytes - 1);
}

}  // namespace heddle::libc_of_rank
