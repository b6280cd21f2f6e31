#include "exec/ult/scheduler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstring>
#include <span>
#include <vector>

#include "base/fork.h"
#include "base/platform/fence.h"
#include "base/platform/topology.h"
#include "exec/ult/executable_stacks.h"
#include "exec/ult/preempt/call_monitor.h"
#include "exec/ult/preempt/time_slice.h"
#include "exec/ult/run/resume_hook.h"
#include "exec/ult/run/thread_worker.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/start/forced_yield.h"
#include "exec/ult/switch/context.h"
#include "exec/ult/switch/orphan.h"
#include "exec/ult/switch/worker_thread.h"
#include "exec/ult/ult.h"
#include "exec/ult/worker_core.h"

namespace heddle::ult {

namespace {

// In the order in which modules have added them. They stay where they are: workers point here.
constinit std::array<WorkerHooks, 8> hook_places;
constinit std::size_t hook_count = 0;

std::span<const WorkerHooks> worker_hooks() noexcept {
  return {hook_places.data(), hook_count};
}

int wanted_workers(const SchedulerOptions& options) {
  return options.workers > 0 ? options.workers : static_cast<int>(platform::usable_cpus().size());
}

int cpu_for(const SchedulerOptions& options, int number) {
  if (options.binding == Binding::kNone) return -1;
  return core_of(number).cpu;
}

void retire_first(int count) noexcept {
  for (int i = 0; i < count; ++i) worker_table().workers[static_cast<std::size_t>(i)]->retire();
}

// The child of a fork has one thread, which goes on as a kernel thread: the workers are the
// parent's, and so are all other ults, which the child must not run although it has a copy of their
// stacks.
void become_plain_thread(bool) noexcept {
  leave_core(core_of_caller());
  Ult::set_current(nullptr);
  worker_table().running.store(0, std::memory_order_relaxed);
  the_lent_worker.store(nullptr, std::memory_order_relaxed);
}
[[maybe_unused]] const bool at_forks =
    at_fork(ForkPart::kWorkers, {.become_child = become_plain_thread});

}  // namespace

Error start(const SchedulerOptions& options) {
  assert(!running());
  const char* reason = nullptr;
  if (!Orphan::learn_layout(&reason)) {
    return Error::make(kErrorOther, "user-level threads cannot run here: %s", reason);
  }
  if (Error e = become_host()) return e;
  platform::prepare_fence_all();  // quick while there is one thread; its users ask has_fence_all()
  adopt_stacks_of_process();
  WorkerTable& table = worker_table();
  table.default_stack_bytes = options.stack_bytes;
  table.first_core = options.first_core;
  force_yields(options.yield_seed, options.forced_moves);
  prepare_time_slices(options);
  const int wanted = wanted_workers(options);
  while (static_cast<int>(table.workers.size()) < wanted) {
    table.workers.push_back(new ThreadWorker(static_cast<int>(table.workers.size())));
  }
  for (int i = 0; i < wanted; ++i) {
    ThreadWorker& worker = *table.workers[static_cast<std::size_t>(i)];
    if (int error = worker.launch(cpu_for(options, i), options, worker_hooks())) {
      retire_first(i);
      return Error::make(kErrorOther, "worker %d of %d could not be started: %s", i, wanted,
                         std::strerror(error));
    }
  }
  if (options.slice_ns != 0) {
    const auto count = static_cast<std::size_t>(wanted);
    if (int error = start_call_monitor({table.workers.data(), count}, options.slice_ns)) {
      retire_first(wanted);
      return Error::make(kErrorOther, "no thread that watches the workers could be started: %s",
                         std::strerror(error));
    }
  }
  table.running.store(wanted, std::memory_order_release);
  return {};
}

void stop() noexcept {
  const int count = worker_count();
  assert(count > 0 && current() == nullptr);
  worker_table().running.store(0, std::memory_order_release);
  stop_call_monitor();
  retire_first(count);
  WorkerThread::end_spares();
  force_yields(0, false);
}

bool running() noexcept {
  return worker_count() > 0;
}

int worker_count() noexcept {
  return worker_table().running.load(std::memory_order_acquire);
}

platform::Core core_of(int worker) noexcept {
  const std::vector<platform::Core>& cores = platform::usable_cores();
  return cores[static_cast<std::size_t>(worker_table().first_core + worker) % cores.size()];
}

SchedulerCounters counters() noexcept {
  SchedulerCounters sum;
  for (int i = 0; i < worker_count(); ++i) {
    worker_table().workers[static_cast<std::size_t>(i)]->add_counters(sum);
  }
  return sum;
}

SchedulerCounters counters_of(int worker) noexcept {
  SchedulerCounters of_one;
  worker_table().workers[static_cast<std::size_t>(worker)]->add_counters(of_one);
  return of_one;
}

void give_each_its_x87_flags() noexcept {
  keep_x87_flags();
}

void add_worker_hooks(const WorkerHooks& hooks) noexcept {
  assert(!running());
  const auto all = worker_hooks();
  if (std::find(all.begin(), all.end(), hooks) != all.end()) return;
  assert(hook_count < hook_places.size());
  hook_places[hook_count++] = hooks;
}

void set_watch(const Watch& watch) noexcept {
  the_watch.store(&watch, std::memory_order_release);  // with watch() in run/resume_hook.h
  Worker::attend_each_switch();
}

void set_resume_hook(void (*resumed)(int worker)) noexcept {
  Worker::set_resume_hook(resumed);
}

}  // namespace heddle::ult
