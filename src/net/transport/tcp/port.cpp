#include "net/transport/tcp/port.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace heddle::transport {

namespace {

// What one call of the kernel brings at most, except for answers.
constexpr std::size_t kBufferBytes = 256 << 10;
static_assert(kBufferBytes >= 2 * frame_bytes(TcpPort::kLimits.packet_bytes));

// A look goes on with one stream this many times, so that others get their turn.
constexpr int kReadsInARow = 8;
// One look in this many goes to all streams, the others to the one heard of last: that is one
// system call, not two. Where that one waits for room, only a look at all tells of it.
constexpr unsigned kLooksForAll = 4;
constexpr int kEvents = 16, kParts = 16;
constexpr std::uint64_t kDoor = ~std::uint64_t{0};

// How much may wait for a host in memory of ours.
constexpr std::size_t kMostQueued = 256 << 10;
// Where a long frame may come next, no more is read at once than its begin, and perhaps some short
// ones.
constexpr std::size_t kBeforeLong = 4 << 10;
constexpr std::size_t kLong = 16 << 10;
// How much is asked for at once.
constexpr std::size_t kMostDue = 4 << 20, kMostReads = 64;

constexpr std::byte kZeros[kFrameAlignment] = {};

std::size_t all_bytes(std::span<const iovec> parts) noexcept {
  std::size_t all = 0;
  for (const iovec& part : parts) all += part.iov_len;
  return all;
}

// Returns how much the kernel has taken; -1: the stream is over.
ssize_t send_some(int descriptor, std::span<iovec> parts) noexcept {
  msghdr message = {};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  const ssize_t sent = sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : -1;
}

}  // namespace

TcpPort::TcpPort(Losses& losses, TcpEnd end)
    : losses_(losses),
      end_(std::move(end)),
      peers_(static_cast<std::size_t>(end_.hosts)),
      memory_(new std::byte[kBufferBytes + 128]) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
  buffer_ = memory_.get() + (64 - at % 64);
  for (int host = 0; host < end_.hosts; ++host) peer(host).host = host;
}

TcpPort::~TcpPort() {
  for (Peer& each : peers_) {
    if (each.linked()) IntrusiveList<Peer>::erase(each);
    if (each.descriptor >= 0) ::close(each.descriptor);
  }
  if (poller_ >= 0) ::close(poller_);
}

Error TcpPort::open(Losses& losses, TcpEnd end, std::span<const door::Ip> own,
                    std::unique_ptr<TcpPort>* opened) {
  std::unique_ptr<TcpPort> made(new TcpPort(losses, std::move(end)));
  const TcpEnd& its = made->end_;
  if (Error e = made->door_.open(own, *its.secret, its.host, its.node, door::What::kStream))
    return e;
  made->poller_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kDoor;
  if (made->poller_ < 0 ||
      epoll_ctl(made->poller_, EPOLL_CTL_ADD, made->door_.descriptor(), &event) != 0) {
    return Error::make(kErrorOther, "no descriptor for the network: %s", std::strerror(errno));
  }
  *opened = std::move(made);
  return {};
}

// ---- out

bool TcpPort::try_send(int to_host, Bytes head, Bytes body) noexcept {
  assert(head.size() + body.size() <= kLimits.packet_bytes);
  Peer& to = peer(to_host);
  if (to.has_ended || to.state == State::kOver || is_cut_off(to_host)) return true;  // T6, T7
  if (to.queue.bytes() >= kMostQueued) return false;
  submit(to, FrameKind::kPacket, head, body);
  return true;
}

void TcpPort::submit(Peer& peer, FrameKind kind, Bytes head, Bytes body) noexcept {
  FrameHead frame;
  frame.bytes = static_cast<std::uint32_t>(head.size() + body.size());
  frame.kind = kind;
  const auto part = [](Bytes bytes) {
    return iovec{const_cast<std::byte*>(bytes.data()), bytes.size()};
  };
  iovec parts[] = {part(std::as_bytes(std::span(&frame, 1))), part(head), part(body),
                   part(Bytes(kZeros).first(padding_behind(frame.bytes)))};
  std::size_t sent = 0;
  if (peer.state == State::kUp && peer.queue.empty()) {
    const ssize_t taken = send_some(peer.descriptor, parts);
    if (taken < 0) return break_off(peer);
    sent = static_cast<std::size_t>(taken);
    if (sent == all_bytes(parts)) return;
  }
  peer.queue.add_copy(parts, sent);
  if (peer.state == State::kAway) {
    ask_for(peer);
  } else if (peer.state == State::kUp && !peer.wants_room) {
    watch_for(peer, EPOLLIN | EPOLLOUT, false);
  }
}

void TcpPort::flush(Peer& peer) noexcept {
  while (!peer.queue.empty()) {
    iovec parts[kParts];
    const std::span<iovec> next(parts, static_cast<std::size_t>(peer.queue.next(parts)));
    const ssize_t sent = send_some(peer.descriptor, next);
    if (sent < 0) return break_off(peer);
    peer.queue.sent(static_cast<std::size_t>(sent));
    if (static_cast<std::size_t>(sent) < all_bytes(next)) break;
  }
  const bool wants_room = !peer.queue.empty();
  if (wants_room != peer.wants_room) {
    watch_for(peer, wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN, false);
  }
}

void TcpPort::conceal(const RemoteMemory& memory) noexcept {
  // An answer may wait for room although the other host no longer wants it.
  for (Peer& each : peers_) {
    if (!each.queue.empty()) each.queue.keep(memory.key);
  }
  memories_.conceal(memory.key);
}

bool TcpPort::try_read(const Endpoint::Read& read) noexcept {
  Peer& from = peer(read.from_host);
  if (from.has_ended || from.state == State::kOver || is_cut_off(read.from_host))
    return true;  // T9
  if (from.due.size() >= kMostReads || from.due_bytes >= kMostDue ||
      from.queue.bytes() >= kMostQueued) {
    return false;
  }
  from.due.push_back({read.into, read.reader, padding_behind(read.into.size())});
  from.due_bytes += read.into.size();
  const ReadFrame frame = {read.memory.key, read.memory.address + read.offset, read.into.size()};
  submit(from, FrameKind::kRead, std::as_bytes(std::span(&frame, 1)), {});
  return true;
}

// ---- in

bool TcpPort::poll(Upcall* upcall) noexcept {
  const bool only_hears = hot_ != nullptr && !hot_->wants_room;
  if (only_hears && ++looks_ % kLooksForAll != 0) return hear(*hot_, upcall);
  return look_at_all(upcall);
}

bool TcpPort::look_at_all(Upcall* upcall) noexcept {
  bool any = false;
  epoll_event events[kEvents];
  const int count = epoll_wait(poller_, events, kEvents, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kDoor) {
      any |= door_.serve(*this);
      continue;
    }
    Peer& from = peer(static_cast<int>(events[i].data.u64));
    if (from.state != State::kUp) {
      go_on(from);
      any = true;
      continue;
    }
    if ((events[i].events & EPOLLOUT) != 0) {
      flush(from);
      any = true;
    }
    if ((events[i].events & ~std::uint32_t{EPOLLOUT}) != 0 && from.state == State::kUp) {
      any |= hear(from, upcall);
      hot_ = from.state == State::kUp ? &from : nullptr;
    }
  }
  // After all that has come: a host that has answered is not late.
  if (!unsettled_.empty()) any |= look_at_unsettled();
  return any;
}

// In the buffer frames begin at whole multiples of their alignment. A frame that is there in part
// is moved to its begin, or, when the kernel has no more, kept with its stream.
bool TcpPort::hear(Peer& peer, Upcall* upcall) noexcept {
  Input input;
  input.have = peer.part.size();
  for (int i = 0; i < kReadsInARow; ++i) {
    const Came came = receive(peer, &input);
    if (came == Came::kNothing && i == 0) return false;
    if (came == Came::kNothing) break;
    if (!peer.part.empty()) std::memcpy(buffer_, peer.part.data(), peer.part.size());
    peer.part.clear();
    Taken taken = came == Came::kOver ? Taken::kNonsense : Taken::kSome;
    while (taken == Taken::kSome && input.have > 0 && peer.state == State::kUp)
      taken = take_some(peer, &input, upcall);
    if (taken == Taken::kNonsense) break_off(peer);
    if (peer.state != State::kUp) return true;
    if (input.have > 0 && input.begin > 0) {
      std::memmove(buffer_, buffer_ + input.begin, input.have);
    }
    if (came == Came::kAll) break;
  }
  peer.part.assign(buffer_, buffer_ + input.have);
  if (!peer.queue.empty() && !peer.wants_room) flush(peer);
  return true;
}

// The rest of what is due goes to its place. Behind it comes its padding, and then the next frame,
// which is to be aligned.
TcpPort::Came TcpPort::receive(Peer& peer, Input* input) noexcept {
  const std::size_t due = peer.due_left;
  const std::size_t padding = due > 0 ? peer.due.front().padding : peer.padding_left;
  input->begin = (kFrameAlignment - padding) % kFrameAlignment;
  const std::size_t room = input->have > 0 ? kBufferBytes - input->have : room_for(peer);
  iovec parts[2] = {{nullptr, 0}, {buffer_ + input->begin + input->have, room}};
  if (due > 0) parts[0] = {peer.due.front().into.last(due).data(), due};
  msghdr message = {};
  message.msg_iov = due > 0 ? parts : parts + 1;
  message.msg_iovlen = due > 0 ? 2 : 1;
  const ssize_t count = recvmsg(peer.descriptor, &message, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Came::kNothing;
  if (count <= 0) return Came::kOver;
  const auto came = static_cast<std::size_t>(count);
  const std::size_t of_due = std::min(due, came);
  if (of_due > 0) take_due(peer, of_due);
  input->have += came - of_due;
  return came < due + room ? Came::kAll : Came::kSome;
}

// What is at the begin of the input: padding, or a frame, or as much of an answer as is there.
TcpPort::Taken TcpPort::take_some(Peer& peer, Input* input, Upcall* upcall) noexcept {
  const auto use = [&](std::size_t bytes) {
    input->begin += bytes;
    input->have -= bytes;
    return Taken::kSome;
  };
  const std::size_t padding = std::min(input->have, peer.padding_left);
  peer.padding_left -= padding;
  if (padding > 0) return use(padding);
  const Bytes there(buffer_ + input->begin, input->have);
  FrameHead head;
  if (there.size() < sizeof head) return Taken::kNone;
  std::memcpy(&head, there.data(), sizeof head);
  if (!makes_sense(head, kLimits)) return Taken::kNonsense;
  if (head.kind == FrameKind::kAnswer) {
    if (peer.due.empty() || peer.due.front().into.size() != head.bytes) return Taken::kNonsense;
    return use(sizeof head + begin_due(peer, there.subspan(sizeof head)));
  }
  if (there.size() < frame_bytes(head.bytes)) {
    std::size_t used = 0;
    return land(peer, head, there, upcall, &used) ? use(used) : Taken::kNone;
  }
  if (!take_frame(peer, head, there.subspan(sizeof head, head.bytes), upcall))
    return Taken::kNonsense;
  return use(frame_bytes(head.bytes));
}

// The payload of a long packet whose begin is there goes to its place, if there is one (T10).
bool TcpPort::land(Peer& peer, const FrameHead& head, Bytes there, Upcall* upcall,
                   std::size_t* used) noexcept {
  const Bytes begin = there.subspan(sizeof head);
  if (head.kind != FrameKind::kPacket || head.bytes < kLong || begin.size() < Upcall::kBegin ||
      begin.size() >= head.bytes) {
    return false;
  }
  if (upcall == nullptr || peer.has_ended || is_cut_off(peer.host)) return false;
  const Landing landing = upcall->on_begin(end_.channel, peer.host, begin, head.bytes);
  if (landing.reader == nullptr) return false;
  const std::size_t before = head.bytes - landing.into.size();
  peer.due.insert(peer.due.begin(), {landing.into, landing.reader, padding_behind(head.bytes)});
  peer.due_bytes += landing.into.size();
  *used = sizeof head + before + begin_due(peer, begin.subspan(before));
  return true;
}

// What is due first begins to come: as much as is there is taken.
std::size_t TcpPort::begin_due(Peer& peer, Bytes there) noexcept {
  const std::span<std::byte> into = peer.due.front().into;
  if (peer.due.front().reader == nullptr) {
    peer.due_left = into.size();
    skip_due(peer);
    return 0;
  }
  const std::size_t copied = std::min(there.size(), into.size());
  if (copied > 0) std::memcpy(into.data(), there.data(), copied);
  peer.sends_long = into.size() >= kLong;
  peer.due_left = into.size();
  take_due(peer, copied);
  return copied;
}

// Where nothing of a frame is in the buffer. Where a long frame is to be expected no more is read
// than its begin: its rest is to go to its place without a copy.
std::size_t TcpPort::room_for(const Peer& peer) const noexcept {
  if (peer.due_left > 0 && peer.due.size() > 1) {
    return peer.due.front().padding + sizeof(FrameHead);
  }
  return peer.sends_long || !peer.due.empty() ? kBeforeLong : kBufferBytes;
}

// The rest of what is due first is thrown away as it comes, as padding is.
void TcpPort::skip_due(Peer& peer) noexcept {
  const Due due = peer.due.front();
  peer.padding_left = std::exchange(peer.due_left, 0) + due.padding;
  peer.due_bytes -= due.into.size();
  peer.due.erase(peer.due.begin());
}

void TcpPort::forget_readers(Peer& peer) noexcept {
  if (peer.due_left > 0) skip_due(peer);
  for (Due& each : peer.due) each.reader = nullptr;
}

// `bytes` more of what is due first are in their place.
void TcpPort::take_due(Peer& peer, std::size_t bytes) noexcept {
  const Due due = peer.due.front();
  peer.due_left -= bytes;
  if (peer.due_left > 0) return;
  peer.padding_left = due.padding;
  peer.due_bytes -= due.into.size();
  peer.due.erase(peer.due.begin());
  due.reader->came(due.into.size());
}

// False: it makes no sense.
bool TcpPort::take_frame(Peer& peer, const FrameHead& head, Bytes payload,
                         Upcall* upcall) noexcept {
  if (head.kind == FrameKind::kRead) return take_read(peer, payload);
  if (peer.has_ended) return false;
  if (head.kind == FrameKind::kFarewell) {
    peer.has_ended = true;
    say_farewell(peer);
    return true;
  }
  peer.sends_long = head.bytes >= kLong;
  if (upcall != nullptr && !is_cut_off(peer.host))
    upcall->on_packet(end_.channel, peer.host, payload);
  return true;
}

bool TcpPort::take_read(Peer& peer, Bytes payload) noexcept {
  ReadFrame wanted;
  std::memcpy(&wanted, payload.data(), sizeof wanted);
  Bytes memory;
  if (wanted.bytes > kLimits.read_bytes) return false;
  if (!memories_.find(wanted.key, wanted.offset, wanted.bytes, &memory)) return false;
  FrameHead head;
  head.bytes = static_cast<std::uint32_t>(memory.size());
  head.kind = FrameKind::kAnswer;
  const iovec part = {&head, sizeof head};
  peer.queue.add_copy({&part, 1}, 0);
  peer.queue.add_memory(memory, wanted.key);
  peer.queue.add_memory(Bytes(kZeros).first(padding_behind(memory.size())), 0);
  return true;  // hear() sends it
}

bool TcpPort::may_sleep() noexcept {
  epoll_event event;
  return epoll_wait(poller_, &event, 1, 0) == 0;
}

// ---- the end

bool TcpPort::has_parted() const noexcept {
  return std::all_of(peers_.begin(), peers_.end(), [this](const Peer& each) {
    if (!each.said_farewell || each.state == State::kOver || is_cut_off(each.host)) return true;
    return each.queue.empty() && each.has_ended;
  });
}

}  // namespace heddle::transport
