#include "exec/process/waits/descriptor_waits.h"

#include <pthread.h>
#include <sys/epoll.h>

#include <algorithm>
#include <bitset>
#include <cerrno>
#include <iterator>
#include <span>

#include "base/intrusive_list.h"
#include "base/mutex.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "base/spin_lock.h"
#include "base/standing.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/sleep/cancellation.h"
#include "exec/ult/ult.h"
#include "exec/ult/wait.h"

namespace heddle::process {

namespace {

// poll's bits are epoll's.
static_assert(POLLIN == EPOLLIN && POLLPRI == EPOLLPRI && POLLOUT == EPOLLOUT &&
              POLLRDNORM == EPOLLRDNORM && POLLWRNORM == EPOLLWRNORM && POLLRDBAND == EPOLLRDBAND &&
              POLLWRBAND == EPOLLWRBAND && POLLRDHUP == EPOLLRDHUP);

// What poll always reports of a descriptor that epoll refuses, as it does with files (EPERM). It
// reports nothing else of one.
constexpr short kAlwaysOfFiles = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;

struct Wait : ListNode<> {
  explicit Wait(std::span<const pollfd> all) noexcept : wanted(all) {}

  bool wants(int descriptor) const noexcept {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const pollfd& one) { return one.fd == descriptor; });
  }
  std::uint32_t events_of(int descriptor) const noexcept {
    std::uint32_t events = 0;
    for (const pollfd& one : wanted) {
      if (one.fd == descriptor) events |= static_cast<std::uint16_t>(one.events);
    }
    return events;
  }

  // False: the watcher has taken the wait out of the list, and wakes its strand.
  bool withdraw() noexcept;

  const std::span<const pollfd> wanted;
  ult::Completion completion;
};

// Strands that wait for descriptors, and the kernel thread that watches these.
class Watcher {
 public:
  // Never destroyed: its thread lives as long as the process.
  static Watcher& instance() noexcept {
    static Watcher& only = *new Watcher();
    return only;
  }

  // False: the kernel has no thread or no descriptor to give.
  bool start() noexcept;

  // kQueued: the wait is in the list. kReady: one of its descriptors never waits (a file's), or is
  // none.
  enum class Begun { kQueued, kReady, kNot };
  Begun begin(Wait& wait) noexcept;

  bool withdraw(Wait& wait) noexcept;

 private:
  Watcher() = default;
  static void* thread_main(void* watcher);
  void end_waits_for(int descriptor) noexcept;
  int arm(const pollfd& wanted) noexcept REQUIRES(lock_);
  int control(int what, int descriptor, epoll_event& event) noexcept {
    return epoll_ctl(epoll_, what, descriptor, &event) == 0 ? 0 : errno;
  }

  // Lock: guards whether the thread that watches has been started; held across starting it.
  Mutex starting_;
  bool runs_ GUARDED_BY(starting_) = false;
  int epoll_ = -1;  // constant once it runs

  // Lock: guards the strands that wait for descriptors; held across arming them; no strand is woken
  // under it.
  SpinLock lock_;
  IntrusiveList<Wait> waits_ GUARDED_BY(lock_);
  std::bitset<1024> known_ GUARDED_BY(lock_);  // to epoll, unless closed meanwhile
};

bool Watcher::start() noexcept {
  const Within<Standing::kSection> section;  // as in begin()
  const MutexGuard guard(starting_);
  if (runs_) return true;
  if (epoll_ < 0) epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return false;
  runs_ = platform::start_detached_own_thread({"heddle-poll", thread_main, this}) == 0;
  if (runs_) platform::count_own_thread(1);
  return runs_;
}

void* Watcher::thread_main(void* watcher) {
  auto& self = *static_cast<Watcher*>(watcher);
  epoll_event events[64];
  for (;;) {
    const int count = epoll_wait(self.epoll_, events, std::ssize(events), -1);
    for (int i = 0; i < count; ++i) self.end_waits_for(events[i].data.fd);
  }
  return nullptr;
}

void Watcher::end_waits_for(int descriptor) noexcept {
  IntrusiveList<Wait> ended;
  {
    const SpinGuard guard(lock_);
    for (auto it = waits_.begin(); it != waits_.end();) {
      Wait& wait = *it;
      ++it;
      if (!wait.wants(descriptor)) continue;
      waits_.erase(wait);
      ended.push_back(wait);
    }
  }
  while (Wait* const wait = ended.pop_front()) wait->completion.set();  // it may be gone now
}

// An errno; 0: armed.
int Watcher::arm(const pollfd& wanted) noexcept {
  epoll_event event = {};
  event.data.fd = wanted.fd;
  event.events = EPOLLONESHOT;
  for (const Wait& wait : waits_) event.events |= wait.events_of(wanted.fd);
  const bool remembers = static_cast<std::size_t>(wanted.fd) < known_.size();
  const bool known = remembers && known_[static_cast<std::size_t>(wanted.fd)];
  int error = control(known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, wanted.fd, event);
  if (error == (known ? ENOENT : EEXIST)) {
    error = control(known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, wanted.fd, event);
  }
  if (remembers) known_[static_cast<std::size_t>(wanted.fd)] = error == 0;
  return error;
}

// No handler runs in it, as one could at a system call (a wait for the lock makes one): it would
// come after the look at what has been handled and before the wait, or leave by longjmp while the
// wait is in the list.
Watcher::Begun Watcher::begin(Wait& wait) noexcept {
  const Within<Standing::kSection> section;
  const SpinGuard guard(lock_);
  waits_.push_back(wait);
  for (const pollfd& wanted : wait.wanted) {
    const int error = wanted.fd < 0 ? 0 : arm(wanted);
    if (error == 0) continue;
    if (error == EPERM && (wanted.events & kAlwaysOfFiles) == 0) continue;  // never reported
    waits_.erase(wait);
    return error == EPERM || error == EBADF ? Begun::kReady : Begun::kNot;
  }
  return Begun::kQueued;
}

bool Watcher::withdraw(Wait& wait) noexcept {
  const Within<Standing::kSection> section;  // as in begin()
  const SpinGuard guard(lock_);
  if (!wait.linked()) return false;
  waits_.erase(wait);
  return true;
}

bool Wait::withdraw() noexcept {
  return Watcher::instance().withdraw(*this);
}

}  // namespace

bool shares_worker() noexcept {
  stand_still_if_over();
  return may(Act::kWait) && (ult::has_companions() || cancellation_point() != nullptr);
}

WaitEnd wait_for_descriptors(const pollfd* wanted, nfds_t count, std::int64_t deadline_ns) {
  Watcher& watcher = Watcher::instance();
  stand_still_if_over();
  if (!may(Act::kWait) || !watcher.start()) return WaitEnd::kNot;
  pthread_testcancel();
  WaitEnd end = WaitEnd::kAlerted;
  while (end == WaitEnd::kAlerted || end == WaitEnd::kCancelled) {
    Wait wait({wanted, count});
    const Watcher::Begun begun = watcher.begin(wait);
    if (begun != Watcher::Begun::kQueued) {
      return begun == Watcher::Begun::kReady ? WaitEnd::kDone : WaitEnd::kNot;
    }
    end = settle(ult::wait_in_queue(wait, {.deadline_ns = deadline_ns,
                                           .interrupt = cancellation_point(),
                                           .alerts = ult::Alerts::kReturns}));
  }
  return end;
}

}  // namespace heddle::process
