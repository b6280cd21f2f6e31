// libc.h — libc's own functions, behind those that this project has in their place.
//
//   libc().close(descriptor)
//
// The table is written from spec/libc.calls and spec/libc.same: it has each name that stands there with its signature. So a name that
// is not there is an error of the compiler. The functions are found before there are ranks, since dlsym takes a lock of the
// dynamic linker. A rank's own library gets the host's table (state/of_rank/hosted.h).
//
// Thread safety: any thread.

#pragma once

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

extern "C" struct heddle_libc_functions {
#include "libc_functions.inc"
};

namespace heddle {

// Looks for all of them behind the library that calls this. Some may be absent from this libc: null. For the message of that
// dlsym takes memory, and an allocator (jemalloc) may then call functions that are looked for here. So a call within a call goes on
// where the other one is; `next`, 0 at first, is where.
inline void find_functions(heddle_libc_functions* found, unsigned* next) noexcept {
  constexpr const char* kNames[] = {
#include "libc_names.inc"
  };
  static_assert(sizeof *found == sizeof kNames);
  auto** const places = reinterpret_cast<void**>(found);
  while (*next < sizeof kNames / sizeof kNames[0]) {
    const unsigned i = (*next)++;
    places[i] = dlsym(RTLD_NEXT, kNames[i]);
  }
}

// Those behind libmpi_abi.so.1. Found by the first call, at the latest when this library is loaded.
extern constinit heddle_libc_functions found_functions;
extern constinit bool has_found_functions;
void find_functions_here() noexcept;
inline const heddle_libc_functions& libc() noexcept {
  if (!has_found_functions) [[unlikely]]
    find_functions_here();
  return found_functions;
}

}  // namespace heddle
