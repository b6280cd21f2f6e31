// poller.h — how the layers above get called by idle workers, without exec knowing who they are.
//
// Workers poll when they have nothing to run and on every n-th switch; kernel threads that wait or
// test poll, too. No thread polls while all sleep in the kernel. So a thread that gives a poller
// work (a file descriptor's watcher, a transport inside the process) calls nudge().
//
//   giver     publishes its work with the lock [L] that poll() takes to find it
//             nudge(): asks whether a sleeper is listed
//   sleeper   is listed, polls once more (Look::kThorough), sleeps
//   Whose turn at [L] is first decides: a sleeper that comes later finds the work, a giver that comes
//   later sees the sleeper, because [L] orders what it wrote before.
//
// Thread safety: poll() is called by several workers at once; it must try-lock, never wait. The rest
// any thread.

#pragma once

namespace heddle::ult {

// What the caller will do next, and so how much it should look at.
enum class Look : unsigned char {
  kPassing,   // run something: the least
  kIdle,      // look again soon
  kThorough,  // perhaps sleep: what is there may not be missed, nor left without a thread
};

class Poller {
 public:
  virtual ~Poller() = default;

  // `worker` is the caller's number, -1 for kernel threads that are none. Returns true if it made
  // progress, or if nothing but more polling will bring some: the caller does not go to sleep then.
  // Never switches, never blocks.
  virtual bool poll(int worker, Look look) noexcept = 0;
};

// Requires that the poller outlives its registration. A kernel thread that sleeps already
// when the first one is added can be nudged after it has been awake; a worker at any time.
void add_poller(Poller& poller) noexcept;
void remove_poller(Poller& poller) noexcept;

// Makes one of those who sleep, if there are any, poll. The caller may hold locks that no poller
// takes. Never switches, never blocks.
void nudge() noexcept;

}  // namespace heddle::ult
