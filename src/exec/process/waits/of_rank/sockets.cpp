// Calls that wait for a socket. accept and recvmsg are among those that make descriptors
// (exec/process/descriptors/of_rank/makers.cpp).

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "exec/process/waits/of_rank/descriptor_waits.h"
#include "exec/process/waits/of_rank/named_sets.h"

using namespace heddle::process::of_rank;

HEDDLE_EXPORT ssize_t recvfrom(int socket, void* bytes, size_t size, int flags, sockaddr* address,
                               socklen_t* length) {
  socket = in_process(socket);
  return receive_in_turn(socket, bytes, size, flags, [&](void* to, size_t part, int all) {
    return libc().recvfrom(socket, to, part, all, address, length);
  });
}

HEDDLE_EXPORT ssize_t sendto(int socket, const void* bytes, size_t size, int flags,
                             const sockaddr* address, socklen_t length) {
  socket = in_process(socket);
  const auto send_by = [&](int all) {
    return [=](const iovec* part, int) {
      return libc().sendto(socket, part->iov_base, part->iov_len, all, address, length);
    };
  };
  iovec whole = {const_cast<void*>(bytes), size};
  if ((flags & MSG_DONTWAIT) != 0) return send_by(flags)(&whole, 1);
  return write_in_turn(socket, {&whole, 1}, send_by(flags | MSG_DONTWAIT), send_by(flags));
}

namespace {
ssize_t send_named(int socket, const msghdr* message, int flags) {
  const size_t count = message->msg_iovlen;
  if ((flags & MSG_DONTWAIT) != 0 || count == 0 || count > IOV_MAX) {
    return libc().sendmsg(socket, message, flags);
  }
  iovec rest[count];
  memcpy(rest, message->msg_iov, sizeof rest);
  msghdr next_part = *message;
  const auto send_by = [&](int all) {
    return [&, all](iovec* parts, int some) {
      next_part.msg_iov = parts;
      next_part.msg_iovlen = static_cast<size_t>(some);
      const ssize_t sent = libc().sendmsg(socket, &next_part, all);
      if (sent > 0) next_part.msg_controllen = 0;  // it has gone with the first part
      return sent;
    };
  };
  return write_in_turn(socket, {rest, static_cast<int>(count)}, send_by(flags | MSG_DONTWAIT),
                       send_by(flags));
}
}  // namespace

HEDDLE_EXPORT ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  socket = in_process(socket);
  if (!carries_renamed(*message)) return send_named(socket, message, flags);
  alignas(cmsghdr) char control[message->msg_controllen];
  memcpy(control, message->msg_control, sizeof control);
  msghdr copy = *message;
  copy.msg_control = control;
  for_each_right(copy, [](int& descriptor) { descriptor = in_process(descriptor); });
  return send_named(socket, &copy, flags);
}

HEDDLE_EXPORT int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  unsigned plain = 0;
  while (plain < count && !carries_renamed(messages[plain].msg_hdr)) ++plain;
  if (plain != 0 || count == 0) return libc().sendmmsg(in_process(socket), messages, plain, flags);
  const ssize_t sent = sendmsg(socket, &messages[0].msg_hdr, flags);
  messages[0].msg_len = sent > 0 ? static_cast<unsigned>(sent) : 0;
  return sent < 0 ? -1 : 1;
}

// The socket does not wait for the time of the call. Threads that use it meanwhile, before it is
// connected, could see that.
HEDDLE_EXPORT int connect(int socket, const sockaddr* address, socklen_t length) {
  socket = in_process(socket);
  const int flags = puts_off_waits() ? libc().fcntl(socket, F_GETFL) : -1;
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return libc().connect(socket, address, length);
  libc().fcntl(socket, F_SETFL, flags | O_NONBLOCK);
  int result = libc().connect(socket, address, length);
  const int error = errno;
  libc().fcntl(socket, F_SETFL, flags);
  errno = error;
  // EALREADY: a handler of the program has ended an earlier call.
  if (result == 0 || (error != EINPROGRESS && error != EALREADY && error != EAGAIN)) return result;
  // A socket of the host's own domain, for which the other side has no room, cannot be awaited.
  if (error != EAGAIN && !await(socket, POLLOUT)) return -1;
  return libc().connect(socket, address, length);  // how it has ended
}

#include "sockets.inc"
