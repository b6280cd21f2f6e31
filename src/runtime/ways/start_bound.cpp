#include "runtime/ways/start_bound.h"

#include <sys/utsname.h>

#include <algorithm>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "base/settings.h"

namespace heddle::runtime {

namespace {
// What each process adds, where many start on few cores.
constexpr int kProcessesASecond = 10;

std::int64_t seconds_of(Silences silences) noexcept {
  return static_cast<int>(silences) * settings::value(settings::Id::kLongestSilence);
}
}  // namespace

StartBound::StartBound(Silences most, watch::Ender end) : end_(end) {
  set(seconds_of(most));
  runs_ = platform::start_own_thread({"heddle-start", run, this}, &thread_) == 0;
  if (runs_) platform::count_own_thread(1);
}

StartBound::~StartBound() {
  over_.store(1, std::memory_order_relaxed);
  if (!runs_) return;
  platform::count_own_thread(-1);
  platform::futex_wake_one(over_);
  pthread_join(thread_, nullptr);
}

void StartBound::set(std::int64_t seconds) noexcept {
  seconds_ = seconds;
  // The thread may see the new deadline late: then it is the old one that it looks at again.
  deadline_ns_.store(platform::now_ns() + seconds * 1'000'000'000, std::memory_order_relaxed);
}

void StartBound::all_have_come(int processes) noexcept {
  come_.store(true, std::memory_order_relaxed);
  set(seconds_of(Silences::kWireUp) + processes / kProcessesASecond);
}

void* StartBound::run(void* self) noexcept {
  static_cast<StartBound*>(self)->wait();
  return nullptr;
}

void StartBound::wait() noexcept {
  const auto none = [this] { return over_.load(std::memory_order_relaxed) == 0; };
  for (std::int64_t deadline_ns; none();) {
    deadline_ns = deadline_ns_.load(std::memory_order_relaxed);
    if (platform::now_ns() >= deadline_ns) break;
    // A deadline that comes nearer is looked at within a second.
    const std::int64_t second_ns = platform::now_ns() + 1'000'000'000;
    platform::futex_wait(over_, 0, std::min(deadline_ns, second_ns));
  }
  if (!none()) return;
  std::string sentence = "node " + name_of_node() + " has waited " + std::to_string(seconds_);
  sentence +=
      come_.load(std::memory_order_relaxed)
          ? " s for an answer of the job's other processes, which had come: a machine is cut "
            "off, or has ended"
          : " s for processes of the job that do not come: a machine cannot be reached, or "
            "has no Heddle or no program at this path";
  end_(1, sentence);
}

std::string name_of_node() {
  utsname machine = {};
  return uname(&machine) == 0 ? machine.nodename : "";
}

}  // namespace heddle::runtime
