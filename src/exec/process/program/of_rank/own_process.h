// own_process.h — what the kernel says of the process, as it would be if this program were its own.
//
//   /proc/self/exe       the program's file      (readlink, exec, posix_spawn, and all calls below)
//   /dev/stdin, /dev/fd/0, /proc/self/fd/0 and those of 1 and 2: what the rank has there
//                                                (open, fopen, freopen, readlink, and what is
//                                                marked in spec/libc.calls: stat, access …)
//   /proc/self/cmdline   its arguments           (open, fopen)
//   /proc/self/comm      its name, and prctl's   (open, fopen, PR_GET_NAME)
//   /proc/self/status    with this name          (open, fopen)
//   AT_EXECFN            the program's file      (getauxval)
//
// Programs without argv at hand take their name and arguments from cmdline (eCAL's processes
// register by it); comm and status say the name that pthread_setname_np has set, which programs
// read back. The kernel's answers are about the host. /proc/thread-self and /proc/PID are known as
// well, and a folder that is one of them. A file that is opened has what the kernel says at that
// moment: to read it later, open it again. The host is seen in other files (/proc/self/stat), and
// by system calls that do not come through libc.
//
// Thread safety: any strand of the rank.

#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>

namespace heddle::process::of_rank {

constexpr size_t kNameBytes = 16;  // of a thread's name in the kernel, its zero included

// The program's file, if `path` is a name of the process's executable and the program is hosted;
// else nullptr. A relative path begins at `folder`, as openat's does.
const char* own_program(const char* path, int folder = AT_FDCWD) noexcept;

// A descriptor of what `path` would contain, if it is one of the files above; else -1, errno
// unchanged.
int open_own(const char* path, int flags, int folder = AT_FDCWD) noexcept;

// The path that the kernel gets in place of a rank's: the program's file for /proc/self/exe; for
// /dev/stdout, /dev/fd/1, /proc/self/fd/1 and their like what the rank has there. `follows`: false
// if the call asks for a symbolic link itself.
class OwnPath {
 public:
  explicit OwnPath(const char* path, int folder = AT_FDCWD, bool follows = true) noexcept;
  OwnPath(OwnPath&&) = delete;
  operator const char*() const noexcept { return path_; }

 private:
  const char* path_;
  char text_[32];
};

// The name of the main strand, as the kernel would give it: the last part of the file's name.
void get_own_name(char (&name)[kNameBytes]) noexcept;
void set_own_name(const char* name) noexcept;

// hooks.h uses these.
int get_name_of_main(pthread_t thread, char* name, size_t size) noexcept;
int set_name_of_main(pthread_t thread, const char* name) noexcept;

// Sets libc's names of the program, from argv[0].
void adopt_program_name(const char* name) noexcept;

}  // namespace heddle::process::of_rank
