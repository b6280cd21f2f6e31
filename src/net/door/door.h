// door.h — an open port of a job: hears strangers, and hands on the connections of guests that have
// proved that they know the secret.
//
//   connection ── accepted ─► visitor ─┬─ Greeting: kKnown ─► on_guest(descriptor, …): the caller's
//                                      ├─ a knock ──────────► on_knock(host); closed
//                                      └─ no sense, silence and no room ──► closed, counted
//
// Bounds: a visitor is one descriptor and some 300 bytes, and there are kMostVisitors of them.
// Where more come, the one that came first goes: hosts of the job prove themselves at once, and try
// again where that has failed. So strangers cost that much memory, and time only where they come. A
// process without descriptors turns guests away, and they come again.
//
// Thread safety: one thread at a time.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/door/addresses.h"
#include "net/door/greeting.h"

namespace heddle::door {

class Door {
 public:
  static constexpr std::size_t kMostVisitors = 256;

  class Owner {
   public:
    // Must answer Greeting::welcome() or close it.
    virtual void on_guest(int descriptor, int host, const char* node) noexcept = 0;
    virtual void on_knock(int host) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  Door() = default;
  ~Door() { close(); }
  Door(Door&&) = delete;

  // `secret` outlives it.
  Error open(std::span<const Ip> addresses, const Secret& secret, int host, std::string node,
             What what);
  bool is_open() const noexcept { return poller_ >= 0; }
  // Readable when serve() has something to do.
  int descriptor() const noexcept { return poller_; }
  std::uint16_t port() const noexcept { return port_; }

  // True if anything has happened.
  bool serve(Owner& owner) noexcept;

  // Closes the door, and the connections of all visitors.
  void close() noexcept;

  std::uint64_t turned_away() const noexcept { return turned_away_; }

 private:
  struct Visitor {
    Visitor(int its_descriptor, const Secret& secret, const Own& own, What what) noexcept
        : descriptor(its_descriptor), greeting(secret, own, what) {}
    int descriptor;
    Greeting greeting;
  };
  void accept_some(int listener) noexcept;
  void hear(int descriptor, Owner& owner) noexcept;
  void turn_away(std::size_t index) noexcept;
  void turn_away_unseen(int listener) noexcept;

  const Secret* secret_ = nullptr;
  int host_ = 0;
  std::string node_;
  What what_ = What::kWatch;
  int poller_ = -1;  // epoll
  int spare_ = -1;   // closed for a moment where the process has no other descriptor left
  std::uint16_t port_ = 0;
  std::vector<int> listeners_;
  std::vector<std::unique_ptr<Visitor>> visitors_;  // in the order of their coming
  std::uint64_t turned_away_ = 0;
};

}  // namespace heddle::door
