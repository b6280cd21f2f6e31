#include "exec/process/program/of_rank/own_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

namespace heddle::process::of_rank {
namespace {

constinit char own_name[kNameBytes] = "";

bool begins_with(const char* text, const char* start) noexcept {
  return strncmp(text, start, strlen(start)) == 0;
}

// What follows the name of the process's folder in /proc; nullptr for any other path.
const char* behind_folder(const char* path) noexcept {
  if (!begins_with(path, "/proc/")) return nullptr;
  char by_number[32];
  snprintf(by_number, sizeof by_number, "/proc/%d/", static_cast<int>(getpid()));
  const char* const starts[] = {"/proc/self/", "/proc/thread-self/", by_number};
  for (const char* start : starts) {
    if (begins_with(path, start)) return path + strlen(start);
  }
  return nullptr;
}

// Asks the kernel, which knows the folder by its number.
bool is_own_folder(int folder) noexcept {
  char link[48] = "/proc/thread-self/cwd", target[48];
  if (folder != AT_FDCWD) snprintf(link, sizeof link, "/proc/thread-self/fd/%d", folder);
  const int error = errno;
  const ssize_t length = libc().readlink(link, target, sizeof target - 2);
  errno = error;
  if (length <= 0) return false;
  strcpy(target + length, "/");
  const char* const rest = behind_folder(target);
  return rest != nullptr && (*rest == '\0' || begins_with(rest, "task/"));
}

// True if `path` names the file `entry` of the process's folder in /proc.
bool is_entry(const char* entry, const char* path, int folder) noexcept {
  if (path == nullptr || hooks() == nullptr) return false;
  const char* const name = path[0] == '/' ? behind_folder(path) : path;
  return name != nullptr && strcmp(name, entry) == 0 && (name != path || is_own_folder(folder));
}

// The descriptor 0 to 2 that an absolute path names; -1: none.
int standard_named(const char* path, bool follows) noexcept {
  if (!begins_with(path, "/dev/") && !begins_with(path, "/proc/")) return -1;
  constexpr const char* kLinks[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (int i = 0; follows && i < 3; ++i) {
    if (strcmp(path, kLinks[i]) == 0) return i;
  }
  const char* number = behind_folder(path);
  if (begins_with(path, "/dev/fd/")) number = path + strlen("/dev/");
  if (number == nullptr || !begins_with(number, "fd/")) return -1;
  number += strlen("fd/");
  return number[0] >= '0' && number[0] <= '2' && number[1] == '\0' ? number[0] - '0' : -1;
}

bool write_all(int descriptor, const char* bytes, size_t size) noexcept {
  return write(descriptor, bytes, size) == static_cast<ssize_t>(size);
}

bool write_arguments(int descriptor, const char* /*path*/, int /*folder*/) noexcept {
  for (int i = 0; i < own_rank().argc; ++i) {
    if (!write_all(descriptor, own_rank().argv[i], strlen(own_rank().argv[i]) + 1)) return false;
  }
  return true;
}

bool write_name(int descriptor, const char* /*path*/, int /*folder*/) noexcept {
  char name[kNameBytes];
  get_own_name(name);
  return dprintf(descriptor, "%s\n", name) > 0;
}

// The kernel's text, with this name in its first line.
bool write_status(int descriptor, const char* path, int folder) noexcept {
  const int kernel =
      libc().openat(folder, path, O_RDONLY | O_CLOEXEC);  // a thread's differs from the process's
  char text[1024];
  ssize_t size = kernel < 0 ? 0 : read(kernel, text, sizeof text);
  const void* const line = size > 0 ? memchr(text, '\n', static_cast<size_t>(size)) : nullptr;
  bool written = line != nullptr && write_all(descriptor, "Name:\t", 6) &&
                 write_name(descriptor, path, folder);
  const char* rest = written ? static_cast<const char*>(line) + 1 : text;
  while (written && size > 0) {
    written = write_all(descriptor, rest, static_cast<size_t>(text + size - rest));
    rest = text;
    size = read(kernel, text, sizeof text);
  }
  if (kernel >= 0) libc().close(kernel);
  return written;
}

struct OwnFile {
  const char* entry;
  bool (*write)(int descriptor, const char* path, int folder) noexcept;
};
constexpr OwnFile kFiles[] = {
    {"cmdline", write_arguments}, {"comm", write_name}, {"status", write_status}};

int open_copy(const OwnFile& file, const char* path, int folder) noexcept {
  const int error = errno;
  // libc's: it is the rank's only when the caller says so.
  const int copy = libc().memfd_create("process", MFD_CLOEXEC);
  const bool written = copy >= 0 && file.write(copy, path, folder) && lseek(copy, 0, SEEK_SET) == 0;
  errno = error;
  if (written) return copy;
  if (copy >= 0) libc().close(copy);
  return -1;
}

}  // namespace

const char* own_program(const char* path, int folder) noexcept {
  return is_entry("exe", path, folder) ? own_rank().program : nullptr;
}

OwnPath::OwnPath(const char* path, int folder, bool follows) noexcept : path_(path) {
  if (path == nullptr || rank_hooks() == nullptr) return;
  const char* const program = follows ? own_program(path, folder) : nullptr;
  if (program != nullptr) path_ = program;
  const int standard = program == nullptr ? standard_named(path, follows) : -1;
  const int own = in_process(standard);
  if (own == standard) return;
  snprintf(text_, sizeof text_, "/proc/self/fd/%d", own);  // of a closed one there is no file -1
  path_ = text_;
}

int open_own(const char* path, int flags, int folder) noexcept {
  if ((flags & O_ACCMODE) != O_RDONLY) return -1;
  for (const OwnFile& file : kFiles) {
    if (is_entry(file.entry, path, folder)) return open_copy(file, path, folder);
  }
  return -1;
}

void get_own_name(char (&name)[kNameBytes]) noexcept {
  Guard guard(Guarded::kOwnName);
  if (own_name[0] == '\0') {
    const char* slash = strrchr(own_rank().program, '/');
    strncat(own_name, slash != nullptr ? slash + 1 : own_rank().program, kNameBytes - 1);
  }
  memcpy(name, own_name, kNameBytes);
}

void set_own_name(const char* name) noexcept {
  Guard guard(Guarded::kOwnName);
  memset(own_name, 0, kNameBytes);
  strncat(own_name, name, kNameBytes - 1);
}

}  // namespace heddle::process::of_rank
