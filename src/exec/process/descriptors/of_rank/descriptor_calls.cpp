// Calls that do what libc's do, with another number: a rank may have a file at 0, 1 or 2, by dup2 or because it
// closed what was there before it opened the file. Left out are calls for sockets, select, and rare calls for
// files; these take the process's numbers.

#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/process/descriptors/of_rank/descriptors.h"

using namespace heddle::process_of_rank;

HEDDLE_EXPORT ssize_t __pread_chk(int descriptor, void* bytes, size_t size, off_t offset,
                                  size_t room) {
  if (size > room) abort();
  return pread(descriptor, bytes, size, offset);
}

HEDDLE_EXPORT int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (rank_hooks() != nullptr && (request == FIOCLEX || request == FIONCLEX)) {
    return fcntl(descriptor, F_SETFD, request == FIOCLEX ? FD_CLOEXEC : 0);
  }
  return libc().ioctl(in_process(descriptor), request, argument);
}

extern "C" {
#define HEDDLE_ALIAS(name) __attribute__((visibility("default"), alias(name)))
HEDDLE_ALIAS("lseek") off64_t lseek64(int descriptor, off64_t offset, int whence) noexcept;
HEDDLE_ALIAS("fstat") int fstat64(int descriptor, struct stat64* status) noexcept;
HEDDLE_ALIAS("ftruncate") int ftruncate64(int descriptor, off64_t length) noexcept;
HEDDLE_ALIAS("posix_fallocate")
int posix_fallocate64(int descriptor, off64_t offset, off64_t length);
HEDDLE_ALIAS("pread")
ssize_t pread64(int descriptor, void* bytes, size_t size, off64_t offset);
HEDDLE_ALIAS("__pread_chk")
ssize_t __pread64_chk(int descriptor, void* bytes, size_t size, off64_t offset, size_t room);
HEDDLE_ALIAS("pwrite")
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset);
HEDDLE_ALIAS("sendfile")
ssize_t sendfile64(int out, int in, off64_t* offset, size_t count) noexcept;
HEDDLE_ALIAS("mmap")
void* mmap64(void* address, size_t size, int protection, int flags, int descriptor,
             off64_t offset) noexcept;
#undef HEDDLE_ALIAS
}

#include "descriptor_calls.inc"
