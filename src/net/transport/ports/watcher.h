// watcher.h — a thread that sleeps at the descriptors of ports, so that no worker has to poll while
// nothing comes; and that sees ports off whose endpoints have ended.
//
//   alarm     from       to         by
//   --------  ---------  ---------  ---------------------------------------------------------------
//   disarmed  →          armed      the endpoint's poll(), after it has found nothing for some
//                                   looks
//   armed     →          disarmed   the watcher: something has come, or the reminder is due; then
//                                   it wakes a sleeper
//   armed     →          disarmed   a thread that has used the port: see below
//
// A sleeper relies on the alarm that was armed before it slept. There are two ways to fail it.
// Another thread uses the port: libfabric may then read ahead into memory of its own, which the
// descriptor does not show, and that thread may leave MPI. Or the thread that is woken was about to
// leave MPI, and does not look. So a disarmed alarm is in doubt until a thread arms it again, and
// meanwhile the watcher wakes a sleeper again and again, after pauses that grow from 2 to 64 ms.
//
// The reminder is for sends and reads that are not finished: some providers go on only while they
// are polled.
//
// Order: arm() stores the flag and then enters the descriptor in the kernel; the watcher hears of
// the descriptor from the kernel, clears the flag and then wakes. A worker that was woken finds the
// flag cleared, looks, and arms again.
//
// Thread safety: arm(), remind(), looked(): the thread that has the channel. The rest: one thread.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/mutex.h"
#include "net/transport/transport.h"

namespace heddle::transport {

// A port as the watcher knows it: one channel's place on a network.
class WatchedPort {
 public:
  virtual ~WatchedPort() = default;

  // Packets go to `upcall`; null: they are dropped. True if anything has happened.
  virtual bool poll(Upcall* upcall) noexcept = 0;

  // Readable when a look would find something; -1: there is none. And whether a thread may sleep at
  // it now.
  virtual int descriptor() const noexcept = 0;
  virtual bool may_sleep() noexcept = 0;
  // True if something is due of which only a later look tells.
  virtual bool has_unfinished() const noexcept = 0;

  // Says farewell. It has parted once that has left, and each host that was told has answered or is
  // lost.
  virtual void part() noexcept = 0;
  virtual bool has_parted() const noexcept = 0;
};

class Watcher {
 public:
  // Ports that part are given this much time at most.
  explicit Watcher(int longest_parting_ms) noexcept : longest_parting_ms_(longest_parting_ms) {}
  ~Watcher();  // waits for the ports that part
  Watcher(Watcher&&) = delete;

  // Starts the thread. `descriptors` by channel, -1: the port has none.
  Error start(const std::vector<int>& descriptors, void (*nudge)() noexcept);

  // Returns false if nothing would wake a sleeper now: look again. Requires that a look has found
  // nothing.
  bool arm(int channel, WatchedPort& port) noexcept;
  // Wakes a sleeper soon, unless looked() comes before: the caller may not poll again.
  void remind(int channel) noexcept;
  // A look has found something, and others will follow: a reminder is due anew.
  void looked(int channel) noexcept {
    alarms_[static_cast<std::size_t>(channel)].reminded = false;
    used(channel);
  }
  // The port has been used for something: a thread that sleeps must not rely on its descriptor any
  // more.
  void used(int channel) noexcept {
    if (alarms_[static_cast<std::size_t>(channel)].armed.load(std::memory_order_relaxed)) {
      disarm(channel);
    }
  }

  // Nothing is woken from now on: the transport ends.
  void stop_waking() noexcept;

  // Sees it off and closes it.
  void take_over(std::unique_ptr<WatchedPort> port) noexcept;

 private:
  struct Alarm {
    std::atomic<bool> armed{false};
    std::atomic<bool> in_doubt{false};  // it was disarmed, and not armed since
    int descriptor = -1;                // the port's
    int timer = -1;                     // the reminder
    bool reminded = false;              // the timer runs; of the channel's thread
  };
  struct Leaving {
    std::unique_ptr<WatchedPort> port;
    std::int64_t until;
  };

  static void* run(void* watcher) noexcept;
  void watch() noexcept;
  void rouse() noexcept;  // the thread itself
  void wake() noexcept;
  void disarm(int channel) noexcept;
  bool any_in_doubt() const noexcept;
  int pause_ms() const noexcept;  // the longest that the thread may sleep; -1: for ever
  void take_in(bool* stop) noexcept;
  void see_off() noexcept;
  Error enter(int descriptor, std::uint32_t events, int channel) noexcept;

  const int longest_parting_ms_;
  std::vector<Alarm> alarms_;      // by channel
  int poller_ = -1, rouser_ = -1;  // epoll, eventfd
  pthread_t thread_ = {};
  bool runs_ = false;

  // Lock: guards the list of ports that the thread is to take over, the word to stop, and the
  // function that wakes; held across wake_.
  Mutex mutex_;
  void (*wake_)() noexcept GUARDED_BY(mutex_) = nullptr;
  std::vector<std::unique_ptr<WatchedPort>> arriving_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;

  std::vector<Leaving> leaving_;  // this and the next are the thread's
  int doubt_pause_ms_ = 0;
};

}  // namespace heddle::transport
