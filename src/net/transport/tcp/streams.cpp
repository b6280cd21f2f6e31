// How streams come up, fail and end.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/platform/clock.h"
#include "net/transport/tcp/port.h"

namespace heddle::transport {

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kKnockAgainNs = 200 * kMs;
constexpr std::int64_t kPauseNs = 20 * kMs;  // before an address is tried again
// The watch over the job's hosts, or the parent, says what has happened to a host.
constexpr std::int64_t kGraceNs = 1000 * kMs;

}  // namespace

// False: the kernel has no memory for it.
bool TcpPort::watch_for(Peer& peer, std::uint32_t events, bool anew) noexcept {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = static_cast<std::uint64_t>(peer.host);
  peer.wants_room = peer.state == State::kUp && (events & EPOLLOUT) != 0;
  return epoll_ctl(poller_, anew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, peer.descriptor, &event) == 0;
}

void TcpPort::settle(Peer& peer, State state) noexcept {
  peer.state = state;
  peer.since_ns = platform::now_ns();
  const bool is_settled = state == State::kUp;
  if (is_settled && peer.linked()) IntrusiveList<Peer>::erase(peer);
  if (!is_settled && !peer.linked()) unsettled_.push_back(peer);
}

// The one with the lower number connects.
void TcpPort::ask_for(Peer& peer) noexcept {
  begin(peer, peer.host > end_.host ? State::kConnecting : State::kKnocking);
}

void TcpPort::begin(Peer& peer, State state) noexcept {
  settle(peer, state);
  const bool knocks = state == State::kKnocking;
  peer.greeting =
      std::make_unique<door::Greeting>(*end_.secret, door::Own{end_.host, end_.node}, peer.host,
                                       knocks ? door::What::kKnock : door::What::kStream);
  peer.descriptor =
      door::begin_to_connect(peer.place.addresses[peer.next_address], peer.place.port);
  if (peer.descriptor < 0 || !watch_for(peer, EPOLLOUT, true)) try_again(peer);
}

// Something has happened to a stream that is not up.
void TcpPort::go_on(Peer& peer) noexcept {
  const bool connects = peer.state == State::kConnecting || peer.state == State::kKnocking;
  if (connects && door::end_of_connect(peer.descriptor) != 0) return try_again(peer);
  if (connects || peer.state == State::kGreeting) return greet(peer);
  if (peer.state != State::kKnocked) return;
  close_stream(peer);  // it has been heard, or turned away
  settle(peer, State::kKnocked);
}

void TcpPort::greet(Peer& peer) noexcept {
  switch (peer.greeting->advance(peer.descriptor)) {
    case door::Greeting::State::kGoesOn:
      if (peer.state == State::kGreeting) return;
      settle(peer, State::kGreeting);
      watch_for(peer, EPOLLIN, false);
      return;
    case door::Greeting::State::kStranger:
      return try_again(peer);
    case door::Greeting::State::kKnown:
      if (peer.state != State::kKnocking) return come_up(peer, peer.descriptor);
      peer.failing_since_ns = 0;
      settle(peer, State::kKnocked);
      watch_for(peer, EPOLLIN, false);
      return;
  }
}

void TcpPort::come_up(Peer& peer, int descriptor) noexcept {
  const bool anew = peer.descriptor != descriptor;
  if (anew) close_stream(peer);
  peer.descriptor = descriptor;
  peer.greeting.reset();
  peer.failing_since_ns = 0;
  settle(peer, State::kUp);
  const int yes = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (!watch_for(peer, EPOLLIN, anew)) return break_off(peer);
  flush(peer);
  if (parting_) say_farewell(peer);
}

void TcpPort::try_next_address(Peer& peer) noexcept {
  close_stream(peer);
  peer.next_address =
      static_cast<std::uint8_t>((peer.next_address + 1u) % peer.place.addresses.size());
  settle(peer, State::kAway);
}

void TcpPort::try_again(Peer& peer) noexcept {
  const std::int64_t waited_since_ns = peer.state == State::kGreeting ? peer.since_ns : 0;
  try_next_address(peer);
  if (peer.failing_since_ns == 0) {
    peer.failing_since_ns = peer.since_ns;
  } else if (waited_since_ns != 0) {
    peer.failing_since_ns += peer.since_ns - waited_since_ns;  // to wait is not to fail
  }
  if (!parting_ && peer.since_ns - peer.failing_since_ns < end_.longest_try_ms * kMs) return;
  if (!parting_) losses_.lose(peer.host);
  drop(peer);
}

bool TcpPort::look_at_unsettled() noexcept {
  const std::int64_t now = platform::now_ns();
  bool any = false;
  IntrusiveList<Peer> all;
  while (Peer* each = unsettled_.pop_front()) all.push_back(*each);
  while (Peer* each = all.pop_front()) {
    unsettled_.push_back(*each);
    const std::int64_t age = now - each->since_ns;
    const auto is_late = [&](std::int64_t limit) {
      any |= age > limit;
      return age > limit;
    };
    const bool has_others = each->place.addresses.size() > 1;
    const std::int64_t longest_ns = end_.longest_greeting_ms * kMs;
    switch (each->state) {
      case State::kConnecting:
      case State::kKnocking:
        if (is_late(longest_ns)) try_again(*each);
        break;
      case State::kGreeting:
        if (has_others && !each->greeting->has_proved() && is_late(longest_ns))
          try_next_address(*each);
        break;
      case State::kKnocked:
        if (each->descriptor < 0) {
          if (is_late(kKnockAgainNs)) begin(*each, State::kKnocking);
        } else if (has_others && is_late(longest_ns)) {
          try_next_address(*each);
        }
        break;
      case State::kAway:
        if (is_late(kPauseNs)) ask_for(*each);
        break;
      case State::kOver:
        if (!is_late(kGraceNs)) break;
        IntrusiveList<Peer>::erase(*each);
        losses_.lose(each->host);
        break;
      case State::kUp:
        break;
    }
  }
  return any;
}

void TcpPort::close_stream(Peer& peer) noexcept {
  if (hot_ == &peer) hot_ = nullptr;
  if (peer.descriptor >= 0) ::close(std::exchange(peer.descriptor, -1));
  peer.wants_room = false;
}

// The stream has ended, or makes no sense.
void TcpPort::break_off(Peer& peer) noexcept {
  if (peer.state == State::kOver) return;
  const bool in_order = peer.has_ended;
  drop(peer);
  if (!in_order) settle(peer, State::kOver);  // looks go to it until it is reported as lost
}

// What waits for it is thrown away.
void TcpPort::drop(Peer& peer) noexcept {
  close_stream(peer);
  peer.state = State::kOver;
  if (peer.linked()) IntrusiveList<Peer>::erase(peer);
  peer.queue.clear();
  peer.due.clear();
  peer.due_bytes = peer.due_left = peer.padding_left = 0;
  peer.part.clear();
}

void TcpPort::on_guest(int descriptor, int host, const char*) noexcept {
  const bool is_due = host < end_.host && is_connected(host) && !is_cut_off(host) &&
                      peer(host).state != State::kUp && peer(host).state != State::kOver;
  if (!is_due || !door::Greeting::welcome(descriptor)) {
    ::close(descriptor);
    return;
  }
  come_up(peer(host), descriptor);
}

// A knock is only a hint: it may come from a stranger.
void TcpPort::on_knock(int host) noexcept {
  if (host <= end_.host || host >= end_.hosts || !is_connected(host) || is_cut_off(host)) return;
  Peer& from = peer(host);
  if (from.state == State::kAway && !from.linked()) ask_for(from);
}

// ---- the end

void TcpPort::say_farewell(Peer& peer) noexcept {
  if (peer.said_farewell || is_cut_off(peer.host)) return;
  peer.said_farewell = true;
  submit(peer, FrameKind::kFarewell, {}, {});
}

void TcpPort::part() noexcept {
  parting_ = true;
  for (Peer& each : peers_) {
    forget_readers(each);  // they may have ended with the endpoint
    if (each.state != State::kAway || each.linked()) say_farewell(each);
  }
}

}  // namespace heddle::transport
