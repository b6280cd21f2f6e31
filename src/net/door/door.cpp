#include "net/door/door.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::door {

namespace {

constexpr int kEvents = 16, kAcceptsInARow = 16;

int open_spare() noexcept {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool enter(int poller, int descriptor) noexcept {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace

Error Door::open(std::span<const Ip> addresses, const Secret& secret, int host, std::string node,
                 What what) {
  secret_ = &secret;
  host_ = host;
  node_ = std::move(node);
  what_ = what;
  if (Error e = listen_at(addresses, &listeners_, &port_)) return e;
  poller_ = epoll_create1(EPOLL_CLOEXEC);
  spare_ = open_spare();
  const bool good = poller_ >= 0 && std::all_of(listeners_.begin(), listeners_.end(),
                                                [this](int each) { return enter(poller_, each); });
  if (good) return {};
  return Error::make(kErrorOther, "no descriptor for the job's other hosts: %s",
                     std::strerror(errno));
}

void Door::close() noexcept {
  for (const auto& each : visitors_) ::close(each->descriptor);
  visitors_.clear();
  for (const int each : listeners_) ::close(each);
  listeners_.clear();
  if (spare_ >= 0) ::close(std::exchange(spare_, -1));
  if (poller_ >= 0) ::close(std::exchange(poller_, -1));
}

bool Door::serve(Owner& owner) noexcept {
  if (poller_ < 0) return false;
  epoll_event events[kEvents];
  const int count = epoll_wait(poller_, events, kEvents, 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[i].data.fd;
    if (std::find(listeners_.begin(), listeners_.end(), descriptor) != listeners_.end()) {
      accept_some(descriptor);
    } else {
      hear(descriptor, owner);
    }
    if (poller_ < 0) break;  // the owner has closed it
  }
  return count > 0;
}

void Door::turn_away(std::size_t index) noexcept {
  ++turned_away_;
  ::close(visitors_[index]->descriptor);
  visitors_.erase(visitors_.begin() + static_cast<std::ptrdiff_t>(index));
}

// The process has no descriptors left. A connection that nothing accepts would keep the listener
// readable for ever.
void Door::turn_away_unseen(int listener) noexcept {
  if (!visitors_.empty()) return turn_away(0);
  if (spare_ >= 0) ::close(std::exchange(spare_, -1));
  const int made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (made >= 0) ::close(made);
  spare_ = open_spare();
  ++turned_away_;
}

void Door::accept_some(int listener) noexcept {
  for (int i = 0; i < kAcceptsInARow; ++i) {
    const int made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (made < 0) {
      if (errno == EMFILE || errno == ENFILE) turn_away_unseen(listener);
      return;
    }
    if (visitors_.size() >= kMostVisitors) turn_away(0);
    std::unique_ptr<Visitor> visitor(new (std::nothrow)
                                         Visitor(made, *secret_, {host_, node_}, what_));
    if (visitor == nullptr || !enter(poller_, made)) {
      ++turned_away_;
      ::close(made);
      continue;
    }
    visitors_.push_back(std::move(visitor));
  }
}

void Door::hear(int descriptor, Owner& owner) noexcept {
  const auto found = std::find_if(visitors_.begin(), visitors_.end(),
                                  [&](const auto& each) { return each->descriptor == descriptor; });
  if (found == visitors_.end()) return;  // turned away meanwhile
  Greeting& greeting = (*found)->greeting;
  const Greeting::State state = greeting.advance(descriptor);
  if (state == Greeting::State::kStranger)
    return turn_away(static_cast<std::size_t>(found - visitors_.begin()));
  if (state == Greeting::State::kGoesOn && !greeting.is_knock()) return;
  const std::unique_ptr<Visitor> visitor = std::move(*found);
  visitors_.erase(found);
  if (state == Greeting::State::kKnown) {
    epoll_ctl(poller_, EPOLL_CTL_DEL, descriptor, nullptr);
    owner.on_guest(descriptor, greeting.host(), greeting.node());
  } else {
    ::close(descriptor);
    owner.on_knock(greeting.host());
  }
}

}  // namespace heddle::door
