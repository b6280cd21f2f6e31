// Calls that name a descriptor or a file. Most do what libc's do, with what the rank has under that
// name: the build writes them from the marks in spec/libc.calls.

#include <aio.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>
#include <utime.h>

#include "exec/process/descriptors/of_rank/descriptors.h"
#include "exec/process/program/of_rank/own_process.h"

using namespace heddle::process::of_rank;

namespace {

// libc reads the descriptor of a request when it comes to it. So it is named in the request.
template <class Request>
Request* named(Request* request) noexcept {
  request->aio_fildes = in_process(request->aio_fildes);
  if (const auto* const host = rank_hooks()) host->program.notify_in_rank(&request->aio_sigevent);
  return request;
}

// A copy of an event, with a function that runs the program's in a thread of the rank.
class Notified {
 public:
  explicit Notified(const sigevent* event) noexcept : given_(event != nullptr) {
    if (!given_) return;
    event_ = *event;
    if (const auto* const host = rank_hooks()) host->program.notify_in_rank(&event_);
  }
  operator sigevent*() noexcept { return given_ ? &event_ : nullptr; }

 private:
  sigevent event_;
  const bool given_;
};

}  // namespace

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

HEDDLE_EXPORT int lio_listio(int mode, aiocb* const* list, int count, sigevent* event) noexcept {
  for (int i = 0; i < count; ++i) {
    if (list[i] != nullptr) named(list[i]);
  }
  return libc().lio_listio(mode, list, count, Notified(event));
}

HEDDLE_EXPORT int lio_listio64(int mode, aiocb64* const* list, int count,
                               sigevent* event) noexcept {
  for (int i = 0; i < count; ++i) {
    if (list[i] != nullptr) named(list[i]);
  }
  return libc().lio_listio64(mode, list, count, Notified(event));
}

// Takes no memory of the program's, as libc's. The rank's lines go through its own writer, which
// labels them.
HEDDLE_EXPORT void backtrace_symbols_fd(void* const* frames, int count, int descriptor) noexcept {
  const int text = rank_hooks() != nullptr && descriptor <= 2
                       ? libc().memfd_create("backtrace", MFD_CLOEXEC)
                       : -1;
  libc().backtrace_symbols_fd(frames, count, text >= 0 ? text : in_process(descriptor));
  if (text < 0) return;
  char bytes[512];
  ssize_t size = 0;
  for (off_t from = 0; (size = libc().pread(text, bytes, sizeof bytes, from)) > 0; from += size) {
    if (write(descriptor, bytes, static_cast<size_t>(size)) < 0) break;
  }
  libc().close(text);
}

#include "named_calls.inc"
