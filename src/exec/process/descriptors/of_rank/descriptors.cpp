// Reads, writes, close and dup2 on descriptors 0, 1 and 2 go to the host, which keeps the ranks'
// lines apart and their standard input to itself. close, dup and dup2 of other descriptors note the
// owner there. A child of fork calls libc.

#include "exec/process/descriptors/of_rank/descriptors.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace heddle::process::of_rank;

namespace {
// True if what the rank has as `descriptor`, `own` in the process, is the job's output or input,
// which ranks share line by line.
bool is_output(int descriptor, int own) noexcept {
  return is_standard(descriptor) && (own == STDOUT_FILENO || own == STDERR_FILENO) &&
         rank_hooks() != nullptr;
}
bool is_input(int descriptor, int own) noexcept {
  return is_standard(descriptor) && own == STDIN_FILENO && rank_hooks() != nullptr;
}

int redirect(int from, int onto) noexcept {
  const int result = hooks()->descriptors.redirect(from, onto);
  forget_kind(in_process(onto));
  return result;
}

// For read_in_turn: reads what is there.
auto read_at_once(int descriptor, const iovec* parts, int count) noexcept {
  return [=] { return preadv2(descriptor, parts, count, -1, RWF_NOWAIT); };
}

// For write_in_turn: writes what can be written without waiting.
auto write_at_once(int descriptor) noexcept {
  return [descriptor](const iovec* parts, int count) {
    return pwritev2(descriptor, parts, count, -1, RWF_NOWAIT);
  };
}
}  // namespace

HEDDLE_EXPORT ssize_t write(int descriptor, const void* bytes, size_t size) {
  take_due_turn();
  const int own = in_process(descriptor);
  if (is_output(descriptor, own)) return hooks()->streams.write(descriptor, bytes, size);
  iovec whole = {const_cast<void*>(bytes), size};
  return write_in_turn(own, {&whole, 1}, write_at_once(own), [&](const iovec* part, int) {
    return libc().write(own, part->iov_base, part->iov_len);
  });
}

HEDDLE_EXPORT ssize_t read(int descriptor, void* bytes, size_t size) {
  take_due_turn();
  const int own = in_process(descriptor);
  if (is_input(descriptor, own)) return hooks()->streams.read(descriptor, bytes, size);
  const iovec part = {bytes, size};
  return read_in_turn(own, read_at_once(own, &part, 1),
                      [&] { return libc().read(own, bytes, size); });
}

HEDDLE_EXPORT ssize_t writev(int descriptor, const iovec* parts, int count) {
  take_due_turn();
  const int own = in_process(descriptor);
  if (!is_output(descriptor, own)) {
    if (count <= 0 || count > IOV_MAX) return libc().writev(own, parts, count);
    iovec rest[static_cast<size_t>(count)];
    memcpy(rest, parts, sizeof rest);
    return write_in_turn(own, {rest, count}, write_at_once(own), [&](const iovec* left, int some) {
      return libc().writev(own, left, some);
    });
  }
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t written = hooks()->streams.write(descriptor, parts[i].iov_base, parts[i].iov_len);
    if (written < 0) return total != 0 ? total : -1;
    total += written;
  }
  return total;
}

HEDDLE_EXPORT ssize_t readv(int descriptor, const iovec* parts, int count) {
  take_due_turn();
  const int own = in_process(descriptor);
  if (!is_input(descriptor, own)) {
    return read_in_turn(own, read_at_once(own, parts, count),
                        [&] { return libc().readv(own, parts, count); });
  }
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len != 0) {
      return hooks()->streams.read(descriptor, parts[i].iov_base, parts[i].iov_len);
    }
  }
  return 0;
}

// Other ranks still need the process's standard descriptors.
HEDDLE_EXPORT int close(int descriptor) {
  take_due_turn();
  if (const auto* const host = rank_hooks()) {
    if (is_standard(descriptor)) return host->descriptors.close_standard(descriptor);
    if (host->descriptors.give_up(descriptor) != 0) return -1;
  }
  return libc().close(descriptor);
}

HEDDLE_EXPORT int dup2(int from, int onto) noexcept {
  if (rank_hooks() == nullptr) return libc().dup2(from, onto);
  if (is_standard(onto)) return redirect(from, onto);
  forget_kind(onto);
  return hooks()->descriptors.replace(in_process(from), onto, 1);
}

HEDDLE_EXPORT int dup3(int from, int onto, int flags) noexcept {
  if (rank_hooks() == nullptr) return libc().dup3(from, onto, flags);
  if (from == onto || (flags & ~O_CLOEXEC) != 0) {
    errno = EINVAL;
    return -1;
  }
  if (is_standard(onto)) return redirect(from, onto);
  forget_kind(onto);
  return hooks()->descriptors.replace(in_process(from), onto, (flags & O_CLOEXEC) == 0 ? 1 : 0);
}

HEDDLE_EXPORT int vdprintf(int descriptor, const char* format, va_list arguments) {
  const int own = in_process(descriptor);
  if (!is_output(descriptor, own)) return libc().vdprintf(own, format, arguments);
  char* text = nullptr;
  const int length = vasprintf(&text, format, arguments);
  if (length < 0) return -1;
  const ssize_t written = hooks()->streams.write(descriptor, text, static_cast<size_t>(length));
  free(text);
  return static_cast<int>(written);
}

#include "descriptors.inc"
