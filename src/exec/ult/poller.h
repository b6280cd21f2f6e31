// poller.h — how the layers above get called by idle workers, without exec knowing who they are.
//
// Workers call poll() when they have nothing to run and on every n-th switch. A poller that waits
// for a file descriptor adds it, so that a sleeping worker wakes for it.
//
// Thread safety: poll() is called by several workers at once; it must try-lock, never wait.

#pragma once

namespace heddle::ult {

class Poller {
 public:
  virtual ~Poller() = default;

  // Returns true if it made progress. Never switches, never blocks.
  virtual bool poll() noexcept = 0;
};

// Requires that the poller outlives its registration.
void add_poller(Poller& poller) noexcept;
void remove_poller(Poller& poller) noexcept;

}  // namespace heddle::ult
