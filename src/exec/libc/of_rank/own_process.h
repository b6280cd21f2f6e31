// own_process.h — what the kernel says of the process, as it would be if this program were its own.
//
//   /proc/self/exe       the program's file                     (readlink, realpath, open, fopen, exec, posix_spawn)
//   /proc/self/cmdline   its arguments                          (open, fopen)
//   /proc/self/comm      its name, and prctl's                  (open, fopen, PR_GET_NAME)
//   AT_EXECFN            the program's file                     (getauxval)
//
// The kernel's answers are about the host. /proc/thread-self and /proc/PID are known as well. Other
// functions (stat, access), and system calls that do not come through libc, see the host.
//
// Thread safety: any strand of the rank.

#pragma once

#include <stddef.h>

namespace heddle::libc_of_rank {

constexpr size_t kNameBytes = 16;  // of a thread's name in the kernel, its zero included

// The program's file, if `path` is a name of the process's executable and the program is hosted; else
// nullptr.
const char* own_program(const char* path) noexcept;

// A descriptor of what `path` would contain, if it is one of the files above; else -1, errno unchanged.
int open_own(const char* path, int flags) noexcept;

// The name of the main strand, as the kernel would give it: the last part of the file's name.
void get_own_name(char (&name)[kNameBytes]) noexcept;
void set_own_name(const char* name) noexcept;

// Sets libc's names of the program, from argv[0].
void adopt_program_name(const char* name) noexcept;

}  // namespace heddle::libc_of_rank
