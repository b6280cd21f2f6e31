// poller.h — how idle workers call the layers above, of which exec knows nothing else.
//
// Workers poll when they have nothing to run and on every n-th switch; kernel threads that wait or
// test poll, too. No thread polls while all sleep in the kernel. So a thread that gives a poller
// work (a file descriptor's watcher, a transport inside the process) calls nudge().
//
//   giver     publishes its work with the lock [L] that poll() takes to find it
//             nudge(): asks whether a sleeper is listed
//   sleeper   is listed, polls once more (PollEffort::kThorough), sleeps
//   The order in which the two take [L] decides: a sleeper that takes it later finds the work; a
//   giver that takes it later sees the sleeper, because [L] orders what the sleeper wrote before.
//
// Thread safety: poll() is called by several workers at once; it must try-lock, never wait. The
// other functions may be called by any thread.

#pragma once

namespace heddle::ult {

// What the caller will do next. It decides how much the poller should look at.
enum class PollEffort : unsigned char {
  kPassing,   // run something: the poller looks as little as it can
  kIdle,      // look again soon
  kThorough,  // perhaps sleep: the poller must find all work, and leave none that needs a thread
};

class Poller {
 public:
  virtual ~Poller() = default;

  // `worker` is the caller's number, -1 for kernel threads that are none. Returns true if it made
  // progress, or if only more polling can bring progress: then the caller does not go to sleep.
  // Never switches, never blocks.
  virtual bool poll(int worker, PollEffort effort) noexcept = 0;
};

// From now on threads call the poller; it must live until remove_poller() has returned. nudge()
// wakes workers for it at once. A kernel thread that went to sleep when there was no poller cannot
// be nudged before it has woken up by itself.
void add_poller(Poller& poller) noexcept;
void remove_poller(Poller& poller) noexcept;

// Makes one of the threads that sleep, if there are any, poll. The caller may hold locks that no
// poller takes. Never switches, never blocks.
void nudge() noexcept;

}  // namespace heddle::ult
