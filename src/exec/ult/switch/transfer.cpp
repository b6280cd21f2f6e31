#include "exec/ult/switch/transfer.h"

#include <poll.h>
#include <sys/syscall.h>

#include <cstddef>

namespace heddle::ult {

namespace {

// ERESTARTSYS of the kernel: an interrupted recvmmsg leaves it to the socket as an error, for the
// next call.
constexpr long kRestart = 512;

std::size_t bytes_of(const msghdr& message) noexcept {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) bytes += message.msg_iov[i].iov_len;
  return bytes;
}

}  // namespace

Interrupted find_interrupted_call(const ucontext_t& context, const SystemCall* seen,
                                  SystemCall* out) noexcept {
  const Interrupted how = find_interrupted(context, seen, out);
  NextPart rest;
  const bool cut = how == Interrupted::kReturned && rest.find(*out, result_of(context));
  return how != Interrupted::kReturned || cut ? how : Interrupted::kNot;
}

bool NextPart::find_bytes(int address, int size, long done) noexcept {
  length_ = next_.arguments[size] - done;
  next_.arguments[address] += done;
  next_.arguments[size] = length_;
  return length_ > 0;
}

bool NextPart::find_vector(int address, int count, long done) noexcept {
  auto left = static_cast<std::size_t>(done);
  const auto* const parts = reinterpret_cast<const iovec*>(next_.arguments[address]);
  for (long i = 0; i < next_.arguments[count]; ++i) {
    if (left >= parts[i].iov_len) {
      left -= parts[i].iov_len;
      continue;
    }
    bytes_ = {static_cast<char*>(parts[i].iov_base) + left, parts[i].iov_len - left};
    next_.arguments[address] = reinterpret_cast<long>(&bytes_);
    next_.arguments[count] = 1;
    length_ = static_cast<long>(bytes_.iov_len);
    return true;
  }
  return false;
}

bool NextPart::find_message(const msghdr& whole, long done) noexcept {
  auto left = static_cast<std::size_t>(done);
  for (std::size_t i = 0; i < whole.msg_iovlen; ++i) {
    const iovec& part = whole.msg_iov[i];
    if (left >= part.iov_len) {
      left -= part.iov_len;
      continue;
    }
    bytes_ = {static_cast<char*>(part.iov_base) + left, part.iov_len - left};
    message_ = whole;
    message_.msg_iov = &bytes_;
    message_.msg_iovlen = 1;
    message_.msg_control = nullptr;  // it has gone with the first part
    message_.msg_controllen = 0;
    next_.arguments[1] = reinterpret_cast<long>(&message_);
    length_ = static_cast<long>(bytes_.iov_len);
    return true;
  }
  return false;
}

// The last message may lack some of its bytes.
bool NextPart::find_messages(long done) noexcept {
  auto* const messages = reinterpret_cast<mmsghdr*>(next_.arguments[1]);
  const bool sends = next_.number == SYS_sendmmsg;
  const long flags = next_.arguments[3];
  mmsghdr& last = messages[done - 1];
  if ((sends || (flags & MSG_WAITALL) != 0) && last.msg_len < bytes_of(last.msg_hdr)) {
    next_.number = sends ? SYS_sendmsg : SYS_recvmsg;
    next_.arguments[2] = flags;
    rest_of_message_ = &last.msg_len;
    return find_message(last.msg_hdr, last.msg_len);
  }
  const auto* const time = reinterpret_cast<const timespec*>(sends ? 0 : next_.arguments[4]);
  if (time != nullptr && time->tv_sec == 0 && time->tv_nsec == 0) return false;  // it is over
  length_ = static_cast<unsigned>(next_.arguments[2]) - done;
  next_.arguments[1] = reinterpret_cast<long>(messages + done);
  next_.arguments[2] = length_;
  return length_ > 0;
}

bool NextPart::find(const SystemCall& call, long done) noexcept {
  next_ = call;
  done_ = done;
  rest_of_message_ = nullptr;
  const auto has_flag = [&](int argument, long flag) {
    return (call.arguments[argument] & flag) != 0;
  };
  switch (call.number) {
    case SYS_write:
    case SYS_sendto:
      return find_bytes(1, 2, done);
    case SYS_recvfrom:
      return has_flag(3, MSG_WAITALL) && find_bytes(1, 2, done);
    case SYS_getrandom:
      return find_bytes(0, 1, done);
    case SYS_sendfile:  // the kernel has moved on in the file
      length_ = next_.arguments[3] -= done;
      return length_ > 0;
    case SYS_writev:
    case SYS_vmsplice:
      return find_vector(1, 2, done);
    case SYS_pwritev2:  // where the file itself has the position
      return call.arguments[3] == -1 && find_vector(1, 2, done);
    case SYS_sendmsg:
      return find_message(*reinterpret_cast<const msghdr*>(call.arguments[1]), done);
    case SYS_recvmsg:
      return has_flag(2, MSG_WAITALL) &&
             find_message(*reinterpret_cast<const msghdr*>(call.arguments[1]), done);
    case SYS_recvmmsg:
      return !has_flag(3, MSG_WAITFORONE) && find_messages(done);
    case SYS_sendmmsg:
      return find_messages(done);
    default:
      return false;
  }
}

long NextPart::add(long moved) noexcept {
  if (rest_of_message_ == nullptr) return done_ + moved;
  *rest_of_message_ += static_cast<unsigned>(moved);
  return done_;
}

namespace {

bool gives(const SystemCall& call) noexcept {
  switch (call.number) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_vmsplice:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_sendfile:
      return true;
    default:
      return false;
  }
}

// The call has moved a part of its bytes. True if it is to move the rest: our signal has come; or
// nothing has, and its descriptor takes more. The kernel wakes a thread for a signal of the process
// that another thread then takes, so that no handler runs here. A call that receives is not asked:
// more may have come meanwhile that the whole call would not have taken.
bool goes_on(const SystemCall& call, RanInCall ran) noexcept {
  if (ran != RanInCall::kNothing || !gives(call)) return ran == RanInCall::kOurs;
  pollfd to = {static_cast<int>(call.arguments[0]), POLLOUT, 0};
  const SystemCall look{.number = SYS_poll, .arguments = {reinterpret_cast<long>(&to), 1, 0}};
  RanInCall in_look{};
  return make(look, &in_look) >= 0 && (to.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

}  // namespace

long make_rest(const SystemCall& call, long done) noexcept {
  for (NextPart part; part.find(call, done);) {
    RanInCall ran{};
    const long moved = make(part.call(), &ran);
    if (moved == -kRestart) continue;
    if (moved <= 0) break;
    done = part.add(moved);
    if (moved < part.length() && !goes_on(call, ran)) break;
  }
  return done;
}

long make_whole(const SystemCall& call) noexcept {
  RanInCall ran{};
  const long result = make(call, &ran);
  NextPart rest;
  const bool is_part = result > 0 && rest.find(call, result);
  return is_part && goes_on(call, ran) ? make_rest(call, result) : result;
}

}  // namespace heddle::ult
