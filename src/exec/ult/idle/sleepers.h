// sleepers.h — the list of threads that sleep in the kernel and may be roused: all of them to poll
// (poller.h has the handshake), workers also to help (help.h).
//
// Thread safety: any thread. A SpinLock guards the list; rouse() is called with it, so a sleeper
// that has left the list is not touched any more.

#pragma once

#include "base/intrusive_list.h"

namespace heddle::ult {

class Sleeper : public ListNode<> {
 public:
  // Ends the sleep, or keeps it from beginning. At most once for each time that it was listed.
  virtual void rouse() noexcept = 0;
  // True if it could help with shared work of this NUMA node.
  virtual bool may_help(int numa_node) const noexcept = 0;

 protected:
  ~Sleeper() = default;
};

// Lists a sleeper while it lives: from before the thread's last look at the pollers to after its
// sleep.
class ListedSleeper {
 public:
  // Lists no sleeper if there is nothing that it could be roused for.
  ListedSleeper(Sleeper& sleeper, bool may_be_wanted) noexcept;
  ~ListedSleeper();
  ListedSleeper(ListedSleeper&&) = delete;

  bool listed() const noexcept { return listed_; }
  // Ends it early. True: the sleeper was roused.
  bool leave() noexcept;

 private:
  Sleeper& sleeper_;
  bool listed_;
};

// Rouses one sleeper that may help, if there is any. Never switches, never blocks.
void rouse_helper(int numa_node) noexcept;

}  // namespace heddle::ult
