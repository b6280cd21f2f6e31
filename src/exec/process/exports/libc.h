// libc.h — libc's own functions, behind those that this project has in their place.
//
//   libc().close(descriptor)
//
// The table is written from spec/libc.calls and spec/libc.same: it has each name that stands there
// with its signature. So a name that is not there is an error of the compiler. The functions are
// found before there are ranks, since dlsym takes a lock of the dynamic linker. A rank's own
// library gets the host's table (state/of_rank/hosted.h).
//
// Thread safety: any thread.

#pragma once

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
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

#include <string_view>

extern "C" struct heddle_libc_functions {
#include "libc_functions.inc"
};

namespace heddle {

// True if only some newer libc has the function.
constexpr bool may_be_absent(std::string_view name) noexcept {
  return name.starts_with("__isoc23_");
}

enum class Names { kOfEachLibc, kMayBeAbsent };

// Looks for these names behind the library that calls this. One that is absent from this libc
// becomes null.
//
// For the message about an absent name dlsym takes memory. An allocator (jemalloc, tcmalloc) that
// is just beginning then calls functions that are looked for here. So a first call finds
// kOfEachLibc only, and the library's constructor kMayBeAbsent.
inline void find_functions(heddle_libc_functions* found, Names names) noexcept {
  static constexpr const char* kNames[] = {
#include "libc_names.inc"
  };
  static_assert(sizeof *found == sizeof kNames);
  auto** const places = reinterpret_cast<void**>(found);
  for (unsigned i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (may_be_absent(kNames[i]) == (names == Names::kMayBeAbsent)) {
      places[i] = dlsym(RTLD_NEXT, kNames[i]);
    }
  }
}

// The functions behind libmpi_abi.so.1. The first call finds them, at the latest when this library
// is loaded.
extern constinit heddle_libc_functions found_functions;
extern constinit bool has_found_functions;
void find_functions_here() noexcept;
inline const heddle_libc_functions& libc() noexcept {
  if (!has_found_functions) [[unlikely]]
    find_functions_here();
  return found_functions;
}

}  // namespace heddle
