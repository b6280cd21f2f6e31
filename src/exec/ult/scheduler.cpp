#include "exec/ult/scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <vector>

#include "base/platform/topology.h"
#include "exec/ult/impl/call_monitor.h"
#include "exec/ult/impl/forced_yield.h"
#include "exec/ult/impl/identity_signal.h"
#include "exec/ult/impl/orphan.h"
#include "exec/ult/impl/scheduler_state.h"
#include "exec/ult/impl/time_slice.h"
#include "exec/ult/impl/worker.h"
#include "exec/ult/worker_core.h"

namespace heddle::ult {

namespace {

struct Scheduler {
  // Kept after stop() and used again: a late waker may still look at a worker.
  std::vector<Worker*> workers;
  std::atomic<int> running{0};  // how many of them run; release in start, acquire elsewhere
  SchedulerOptions options;
  WorkerHooks hooks;
};

// Never destroyed, so that it outlives every static destructor that may still wait.
Scheduler& scheduler() noexcept {
  static Scheduler* instance = new Scheduler();
  return *instance;
}

int wanted_workers(const SchedulerOptions& options) {
  return options.workers > 0 ? options.workers : static_cast<int>(platform::usable_cpus().size());
}

int cpu_for(const SchedulerOptions& options, int number) {
  if (options.binding == Binding::kNone) return -1;
  const std::vector<int>& cpus = platform::usable_cpus();
  return cpus[static_cast<std::size_t>(number) % cpus.size()];
}

void retire_first(int count) noexcept {
  for (int i = 0; i < count; ++i) scheduler().workers[static_cast<std::size_t>(i)]->retire();
}

// The child of a fork has one thread, which goes on as a kernel thread: the workers are the parent's,
// and so are all other ults, which the child must not run although it has a copy of their stacks.
void become_plain_thread() noexcept {
  leave_core(core_of_caller());
  Ult::current_ = nullptr;
  scheduler().running.store(0, std::memory_order_relaxed);
}

Error prepare_forks() {
  static const int error = pthread_atfork(nullptr, nullptr, become_plain_thread);
  if (error == 0) return {};
  return Error::make(kErrorNoMemory, "no memory is left for what children of fork do");
}

}  // namespace

Error start(const SchedulerOptions& options) {
  assert(!running());
  const char* reason = nullptr;
  if (!Orphan::learn_layout(&reason)) {
    return Error::make(kErrorOther, "user-level threads cannot run here: %s", reason);
  }
  if (Error e = prepare_forks()) return e;
  Scheduler& it = scheduler();
  it.options = options;
  force_yields(options.yield_seed);
  prepare_time_slices(options);
  const int wanted = wanted_workers(options);
  while (static_cast<int>(it.workers.size()) < wanted) {
    it.workers.push_back(new Worker(static_cast<int>(it.workers.size())));
  }
  for (int i = 0; i < wanted; ++i) {
    Worker& worker = *it.workers[static_cast<std::size_t>(i)];
    if (int error = worker.launch(cpu_for(options, i), options, it.hooks)) {
      retire_first(i);
      return Error::make(kErrorOther, "worker %d of %d could not be started: %s", i, wanted,
                         std::strerror(error));
    }
  }
  if (options.slice_ns != 0 && options.may_leave != nullptr) {
    const auto count = static_cast<std::size_t>(wanted);
    if (int error = start_call_monitor({it.workers.data(), count}, options.slice_ns)) {
      retire_first(wanted);
      return Error::make(kErrorOther, "no thread that watches the workers could be started: %s",
                         std::strerror(error));
    }
  }
  carry_identity_changes();
  it.running.store(wanted, std::memory_order_release);
  return {};
}

void stop() noexcept {
  const int count = worker_count();
  assert(count > 0 && current() == nullptr);
  scheduler().running.store(0, std::memory_order_release);
  stop_call_monitor();
  retire_first(count);
  WorkerThread::end_spares();
  force_yields(0);
}

bool running() noexcept {
  return worker_count() > 0;
}

int worker_count() noexcept {
  return scheduler().running.load(std::memory_order_acquire);
}

SchedulerCounters counters() noexcept {
  SchedulerCounters sum;
  for (int i = 0; i < worker_count(); ++i) {
    scheduler().workers[static_cast<std::size_t>(i)]->add_counters(sum);
  }
  return sum;
}

void set_worker_hooks(const WorkerHooks& hooks) noexcept {
  assert(!running());
  scheduler().hooks = hooks;
}

Worker& worker_for(int wanted) noexcept {
  std::vector<Worker*>& workers = scheduler().workers;
  assert(wanted < worker_count());
  if (wanted >= 0) return *workers[static_cast<std::size_t>(wanted)];
  if (Ult* caller = Ult::current_) return *caller->worker;
  return **std::min_element(workers.begin(), workers.begin() + worker_count(),
                            [](Worker* a, Worker* b) { return a->load() < b->load(); });
}

std::size_t default_stack_bytes() noexcept {
  return scheduler().options.stack_bytes;
}

}  // namespace heddle::ult
