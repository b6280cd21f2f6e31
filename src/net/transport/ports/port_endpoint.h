// port_endpoint.h — the endpoint of a channel whose port is a WatchedPort: it tells of losses, and
// when threads may sleep.
//
// A look that finds nothing is cheap. To sleep is not: a message then waits for two changes of
// threads, the watcher's and the sleeper's. So an answer that is under way over a fast network must
// come before.
//
// Thread safety: see transport.h.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/platform/clock.h"
#include "net/transport/ports/losses.h"
#include "net/transport/ports/watcher.h"
#include "net/transport/transport.h"

namespace heddle::transport {

// Port has a type Call, for the scope of whose objects it is used.
template <class Port>
class PortEndpoint final : public Endpoint {
 public:
  PortEndpoint(Losses& losses, Watcher& watcher, int channel, Upcall& upcall,
               std::unique_ptr<Port> port)
      : losses_(losses),
        watcher_(watcher),
        channel_(channel),
        upcall_(upcall),
        port_(std::move(port)),
        loss_reported_(static_cast<std::size_t>(losses.hosts())) {}
  ~PortEndpoint() override {
    const typename Port::Call call;
    watcher_.take_over(std::move(port_));
  }

  bool try_send(int to_host, Bytes head, Bytes body) noexcept override {
    const typename Port::Call call;
    const bool accepted = port_->try_send(to_host, head, body);
    watcher_.used(channel_);
    if (port_->has_queued_sends()) watcher_.remind(channel_);
    return accepted;
  }

  bool poll() noexcept override {
    const typename Port::Call call;
    const bool lost = tell_losses();
    const bool any = port_->poll(&upcall_) || lost;
    if (any) {
      quiet_since_ns_ = 0;
      watcher_.looked(channel_);
      return true;
    }
    const std::int64_t now = platform::now_ns();
    if (quiet_since_ns_ == 0) quiet_since_ns_ = now;
    if (now - quiet_since_ns_ < kQuietBeforeSleepNs) return true;
    return !watcher_.arm(channel_, *port_);
  }

  bool expose(Bytes memory, RemoteMemory* how) noexcept override {
    const typename Port::Call call;
    return port_->expose(memory, how);
  }
  void conceal(const RemoteMemory& memory) noexcept override {
    const typename Port::Call call;
    port_->conceal(memory);
  }
  bool try_read(const Read& read) noexcept override {
    const typename Port::Call call;
    const bool accepted = port_->try_read(read);
    watcher_.used(channel_);
    return accepted;
  }

 private:
  static constexpr std::int64_t kQuietBeforeSleepNs = 50'000;

  // T6: also if this host itself is lost to the others.
  bool tell_losses() noexcept {
    const std::uint32_t count = losses_.count();
    if (losses_seen_ == count) return false;
    losses_seen_ = count;
    bool any = false;
    for (int host = 0; host < losses_.hosts(); ++host) {
      const auto index = static_cast<std::size_t>(host);
      if (loss_reported_[index] || !port_->is_connected(host) || !port_->is_cut_off(host)) continue;
      loss_reported_[index] = true;
      any = true;
      port_->drop(host);
      upcall_.on_lost(channel_, host);
    }
    return any;
  }

  Losses& losses_;
  Watcher& watcher_;
  const int channel_;
  Upcall& upcall_;
  std::unique_ptr<Port> port_;
  std::vector<bool> loss_reported_;  // by host
  std::uint32_t losses_seen_ = 0;
  std::int64_t quiet_since_ns_ = 0;  // 0: the last look has found something
};

}  // namespace heddle::transport
