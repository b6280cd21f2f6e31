#include "exec/ult/idle/sleepers.h"

#include <atomic>
#include <type_traits>
#include <utility>

#include "base/spin_lock.h"
#include "exec/ult/poller.h"

namespace heddle::ult {

namespace {

// There before the first use, and never destroyed: threads may sleep until the process ends. A
// worker that polls may not wait for another to make it, since it may be halfway through a switch.
struct Sleepers {
  // Lock: guards the list of threads that sleep and can be nudged to poll; held across waking one.
  SpinLock lock;
  IntrusiveList<Sleeper> listed;
  // Changed with the lock, read without: nudge() is on the way of messages.
  std::atomic<int> count{0};
};
static_assert(std::is_trivially_destructible_v<Sleepers>);
constinit Sleepers sleepers;

}  // namespace

ListedSleeper::ListedSleeper(Sleeper& sleeper, bool may_be_wanted) noexcept
    : sleeper_(sleeper), listed_(may_be_wanted) {
  if (!listed_) return;
  SpinGuard guard(sleepers.lock);
  sleepers.listed.push_back(sleeper_);
  // For nudge() a lock orders it (poller.h); for rouse_helper() it has to be seq_cst (help.h).
  sleepers.count.fetch_add(1, std::memory_order_seq_cst);
}

ListedSleeper::~ListedSleeper() {
  leave();
}

bool ListedSleeper::leave() noexcept {
  if (!std::exchange(listed_, false)) return false;
  SpinGuard guard(sleepers.lock);
  if (!sleeper_.linked()) return true;
  IntrusiveList<Sleeper>::erase(sleeper_);
  sleepers.count.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

namespace {

template <class Wanted>
void rouse_first(Wanted wanted) noexcept {
  SpinGuard guard(sleepers.lock);
  for (Sleeper& sleeper : sleepers.listed) {
    if (!wanted(sleeper)) continue;
    IntrusiveList<Sleeper>::erase(sleeper);
    sleepers.count.fetch_sub(1, std::memory_order_relaxed);
    sleeper.rouse();
    return;
  }
}

}  // namespace

void nudge() noexcept {
  // A lock orders it (poller.h); for a bell that is given back it has to be seq_cst
  // (kernel_strand.cpp).
  if (sleepers.count.load(std::memory_order_seq_cst) == 0) return;
  rouse_first([](const Sleeper&) { return true; });
}

void rouse_helper(int numa_node) noexcept {
  // seq_cst: see help_is_wanted_by_now().
  if (sleepers.count.load(std::memory_order_seq_cst) == 0) return;
  rouse_first([=](const Sleeper& sleeper) { return sleeper.may_help(numa_node); });
}

}  // namespace heddle::ult
