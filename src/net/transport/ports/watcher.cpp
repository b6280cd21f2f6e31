#include "net/transport/ports/watcher.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/own_thread.h"

namespace heddle::transport {

namespace {

constexpr long kReminderNs = 2'000'000;
constexpr int kLeavingLookMs = 1;
constexpr int kShortestPauseMs = 2, kLongestPauseMs = 64;
constexpr std::uint64_t kRouser = ~std::uint64_t{0};

Error system_error(const char* what) {
  return Error::make(kErrorOther, "%s for the network: %s", what, std::strerror(errno));
}

}  // namespace

Watcher::~Watcher() {
  if (runs_) {
    platform::count_own_thread(-1);
    {
      MutexGuard guard(mutex_);
      stop_ = true;
    }
    rouse();
    pthread_join(thread_, nullptr);
  }
  for (const Alarm& alarm : alarms_) {
    if (alarm.timer >= 0) close(alarm.timer);
  }
  if (rouser_ >= 0) close(rouser_);
  if (poller_ >= 0) close(poller_);
}

Error Watcher::start(const std::vector<int>& descriptors, void (*nudge)() noexcept) {
  {
    MutexGuard guard(mutex_);
    wake_ = nudge;
  }
  alarms_ = std::vector<Alarm>(descriptors.size());
  poller_ = epoll_create1(EPOLL_CLOEXEC);
  rouser_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (poller_ < 0 || rouser_ < 0) return system_error("no descriptor");
  if (Error e = enter(rouser_, EPOLLIN, -1)) return e;
  for (std::size_t i = 0; i < alarms_.size(); ++i) {
    Alarm& alarm = alarms_[i];
    alarm.descriptor = descriptors[i];
    alarm.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (alarm.timer < 0) return system_error("no timer");
    const int channel = static_cast<int>(i);
    if (Error e = enter(alarm.timer, EPOLLIN | EPOLLET, channel)) return e;
    if (alarm.descriptor < 0) continue;
    if (Error e = enter(alarm.descriptor, EPOLLONESHOT, channel)) return e;
  }
  errno = platform::start_own_thread({"heddle-network", run, this}, &thread_);
  if (errno != 0) return system_error("no thread");
  runs_ = true;
  platform::count_own_thread(1);
  return {};
}

Error Watcher::enter(int descriptor, std::uint32_t events, int channel) noexcept {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = channel < 0 ? kRouser : static_cast<std::uint64_t>(channel);
  if (epoll_ctl(poller_, EPOLL_CTL_ADD, descriptor, &event) == 0) return {};
  return system_error("no watch");
}

bool Watcher::arm(int channel, WatchedPort& port) noexcept {
  Alarm& alarm = alarms_[static_cast<std::size_t>(channel)];
  if (!port.may_sleep()) return false;
  if (!alarm.armed.load(std::memory_order_relaxed)) {
    alarm.armed.store(true,
                      std::memory_order_release);  // the kernel orders it before the watcher's look
    alarm.in_doubt.store(false, std::memory_order_relaxed);
    alarm.reminded = false;
    epoll_event event = {};
    event.events = EPOLLIN | EPOLLONESHOT;
    event.data.u64 = static_cast<std::uint64_t>(channel);
    if (epoll_ctl(poller_, EPOLL_CTL_MOD, alarm.descriptor, &event) != 0) return false;
  }
  if (port.has_unfinished()) remind(channel);
  return true;
}

void Watcher::disarm(int channel) noexcept {
  Alarm& alarm = alarms_[static_cast<std::size_t>(channel)];
  alarm.in_doubt.store(
      true, std::memory_order_relaxed);  // the kernel orders it before the watcher's look
  alarm.armed.store(false, std::memory_order_relaxed);
  rouse();
}

void Watcher::remind(int channel) noexcept {
  Alarm& alarm = alarms_[static_cast<std::size_t>(channel)];
  if (alarm.reminded) return;
  itimerspec soon = {};
  soon.it_value.tv_nsec = kReminderNs;
  timerfd_settime(alarm.timer, 0, &soon, nullptr);
  alarm.reminded = true;
}

void Watcher::take_over(std::unique_ptr<WatchedPort> port) noexcept {
  {
    MutexGuard guard(mutex_);
    arriving_.push_back(std::move(port));
  }
  rouse();
}

void Watcher::rouse() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!write(rouser_, &one, sizeof one));
}

void Watcher::stop_waking() noexcept {
  MutexGuard guard(mutex_);
  wake_ = nullptr;
}

void Watcher::wake() noexcept {
  MutexGuard guard(mutex_);
  if (wake_ != nullptr) wake_();
}

void* Watcher::run(void* watcher) noexcept {
  static_cast<Watcher*>(watcher)->watch();
  return nullptr;
}

void Watcher::watch() noexcept {
  for (bool stop = false; !stop || !leaving_.empty();) {
    epoll_event events[32];
    const int count = epoll_wait(poller_, events, 32, pause_ms());
    if (count == 0 && any_in_doubt()) {
      doubt_pause_ms_ = std::min(2 * doubt_pause_ms_, kLongestPauseMs);
      wake();
    }
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kRouser) {
        std::uint64_t rung = 0;
        static_cast<void>(!read(rouser_, &rung, sizeof rung));
        doubt_pause_ms_ = kShortestPauseMs;
        continue;
      }
      Alarm& alarm = alarms_[events[i].data.u64];
      alarm.in_doubt.store(true, std::memory_order_relaxed);
      alarm.armed.store(false, std::memory_order_relaxed);
      doubt_pause_ms_ = kShortestPauseMs;
      wake();
    }
    take_in(&stop);
    see_off();
  }
}

bool Watcher::any_in_doubt() const noexcept {
  return std::any_of(alarms_.begin(), alarms_.end(), [](const Alarm& alarm) {
    return alarm.in_doubt.load(std::memory_order_relaxed);
  });
}

int Watcher::pause_ms() const noexcept {
  if (!leaving_.empty()) return kLeavingLookMs;
  return any_in_doubt() ? doubt_pause_ms_ : -1;
}

void Watcher::take_in(bool* stop) noexcept {
  MutexGuard guard(mutex_);
  for (auto& port : arriving_) {
    port->part();
    leaving_.push_back({std::move(port), platform::now_ns() + longest_parting_ms_ * 1'000'000LL});
  }
  arriving_.clear();
  *stop = stop_;
}

void Watcher::see_off() noexcept {
  std::erase_if(leaving_, [](Leaving& one) {
    while (one.port->poll(nullptr)) {
    }
    return one.port->has_parted() || platform::now_ns() > one.until;
  });
}

}  // namespace heddle::transport
