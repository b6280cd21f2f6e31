#include "exec/ult/impl/sleepers.h"

#include <atomic>

#include "base/spin_lock.h"
#include "exec/ult/impl/pollers.h"

namespace heddle::ult {

namespace {

// Never destroyed: threads may sleep until the process ends.
struct Sleepers {
  SpinLock lock;
  IntrusiveList<Sleeper> listed;
  // Changed with the lock, read without: nudge() is on the way of messages.
  std::atomic<int> count{0};
};
Sleepers& sleepers() noexcept {
  static auto& instance = *new Sleepers();
  return instance;
}

}  // namespace

ListedSleeper::ListedSleeper(Sleeper& sleeper) noexcept
    : sleeper_(sleeper), listed_(have_pollers()) {
  if (!listed_) return;
  Sleepers& all = sleepers();
  SpinGuard guard(all.lock);
  all.listed.push_back(sleeper_);
  // relaxed: see the handshake in poller.h, a lock orders it with nudge()'s load.
  all.count.fetch_add(1, std::memory_order_relaxed);
}

ListedSleeper::~ListedSleeper() {
  if (!listed_) return;
  Sleepers& all = sleepers();
  SpinGuard guard(all.lock);
  if (!sleeper_.linked()) return;  // roused
  IntrusiveList<Sleeper>::erase(sleeper_);
  all.count.fetch_sub(1, std::memory_order_relaxed);
}

void nudge() noexcept {
  Sleepers& all = sleepers();
  if (all.count.load(std::memory_order_relaxed) == 0) return;
  SpinGuard guard(all.lock);
  Sleeper* sleeper = all.listed.pop_front();
  if (sleeper == nullptr) return;
  all.count.fetch_sub(1, std::memory_order_relaxed);
  sleeper->rouse();
}

}  // namespace heddle::ult
