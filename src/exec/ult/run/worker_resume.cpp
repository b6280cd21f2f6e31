// What is called when a ult goes on: the hook, and whatever attends each switch.
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/worker.h"

namespace heddle::ult {

constinit std::atomic<ResumeHook> the_resume_hook{nullptr};
constinit std::atomic<const Watch*> the_watch{nullptr};

namespace {

constinit std::atomic<ResumeHook> wanted_hook{nullptr};

// Meters, tells the watch, and calls the hook that is wanted.
void attend(int worker) noexcept {
  // A root has no ult, and may have lost the worker to another thread (away.h).
  const Ult* const self = metering() ? Ult::current_ : nullptr;
  if (self != nullptr) self->here().meter().turn_to(current_account());
  if (const Watch* const watching = watch()) watching->runs(worker);
  if (ResumeHook wanted = wanted_hook.load(std::memory_order_relaxed)) wanted(worker);
}

}  // namespace

void Worker::set_resume_hook(void (*resumed)(int worker)) noexcept {
  // Takes no lock: a child of fork would find it taken by a thread that does not go on there.
  wanted_hook.store(resumed, std::memory_order_relaxed);
  ResumeHook present = the_resume_hook.load(std::memory_order_relaxed);
  while (present != attend &&
         !the_resume_hook.compare_exchange_weak(present, resumed, std::memory_order_relaxed)) {
  }
}

void Worker::attend_each_switch() noexcept {
  the_resume_hook.store(attend, std::memory_order_relaxed);
}

}  // namespace heddle::ult
