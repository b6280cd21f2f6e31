#include "exec/ult/preempt/call_monitor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/futex.h"
#include "base/platform/signals.h"
#include "exec/ult/run/away_request.h"
#include "exec/ult/run/monitor_sleep.h"
#include "exec/ult/run/ticks.h"
#include "exec/ult/run/worker.h"
#include "exec/ult/switch/worker_thread.h"

namespace heddle::ult {

namespace {

// One worker, as the monitor sees it.
class Watched {
 public:
  explicit Watched(Worker& worker) noexcept : worker_(worker) {}
  ~Watched() {
    if (file_ >= 0) close(file_);
    while (!take_back_request()) sched_yield();
    if (WorkerThread* unused = worker_.away_request().spare) WorkerThread::put_back(*unused);
    worker_.away_request().spare = nullptr;
  }
  Watched(Watched&& other) noexcept = delete;

  bool sleeps() const noexcept { return worker_.sleeps(); }
  void look() noexcept;

 private:
  bool take_back_request() noexcept;
  bool read_call(SystemCall* out) noexcept;
  void ask() noexcept;

  Worker& worker_;
  std::uint64_t switches_ = 0;
  SystemCall call_;
  std::int64_t since_ns_ = 0;
  int kernel_thread_ = 0;  // of file_
  int file_ = -1;
};

void Watched::look() noexcept {
  if (!take_back_request()) return;
  const std::uint64_t switches = worker_.switches();
  SystemCall call;
  if (sleeps() || switches != switches_ || !read_call(&call)) {
    switches_ = switches;
    call_ = {};
  } else if (call != call_) {
    call_ = call;
    since_ns_ = platform::now_ns();
    worker_.away_request().refused = false;
  } else if (!worker_.away_request().refused) {
    ask();
  }
}

// The signal may come late. False: its handler is at it.
bool Watched::take_back_request() noexcept {
  std::uint32_t state = AwayRequest::kAsked;
  // acquire: the handler has let the fields go.
  return worker_.away_request().state.compare_exchange_strong(state, AwayRequest::kIdle,
                                                              std::memory_order_acquire) ||
         state == AwayRequest::kIdle;
}

bool Watched::read_call(SystemCall* out) noexcept {
  if (const int now = worker_.kernel_thread(); now != kernel_thread_) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", now);
    if (file_ >= 0) close(file_);
    file_ = open(path, O_RDONLY | O_CLOEXEC);
    kernel_thread_ = now;
  }
  char line[256];
  const ssize_t size = file_ >= 0 ? pread(file_, line, sizeof line - 1, 0) : 0;
  if (size <= 0) return false;
  line[size] = '\0';
  return parse_system_call(line, out);
}

void Watched::ask() noexcept {
  AwayRequest& request = worker_.away_request();
  int error = 0;
  if (request.spare == nullptr) request.spare = WorkerThread::take(&error);
  if (request.spare == nullptr) return;  // the kernel has no thread to give now
  request.call = call_;
  request.since_ns = since_ns_;
  request.switches = switches_;
  request.state.store(AwayRequest::kAsked, std::memory_order_release);
  ask_to_go_away(kernel_thread_);
}

struct Monitor {
  std::vector<Worker*> workers;
  std::int64_t period_ns = 0;
  pthread_t thread{};
  bool runs = false;
  std::atomic<std::uint32_t> stopping{0};
};
constinit Monitor* monitor = nullptr;

// Until a worker has something to do.
void sleep_with_workers(const std::vector<Watched*>& all) noexcept {
  call_monitor_sleeps.store(1, std::memory_order_seq_cst);  // [S1]
  const bool all_sleep = std::all_of(all.begin(), all.end(),
                                     [](const Watched* one) { return one->sleeps(); });  // [S2]
  while (all_sleep && call_monitor_sleeps.load(std::memory_order_relaxed) != 0 &&
         monitor->stopping.load(std::memory_order_seq_cst) == 0) {
    platform::futex_wait(call_monitor_sleeps, 1);
  }
  call_monitor_sleeps.store(0, std::memory_order_relaxed);
}

void* watch(void*) {
  sigset_t all_signals;
  sigfillset(&all_signals);
  platform::change_mask_of_this_thread(SIG_SETMASK, all_signals, nullptr);
  std::vector<Watched*> all;
  for (Worker* worker : monitor->workers) all.push_back(new Watched(*worker));
  while (monitor->stopping.load(std::memory_order_acquire) == 0) {
    sleep_with_workers(all);
    platform::futex_wait(monitor->stopping, 0, platform::now_ns() + monitor->period_ns);
    for (Watched* one : all) one->look();
  }
  for (Watched* one : all) delete one;
  return nullptr;
}

}  // namespace

int start_call_monitor(std::span<Worker* const> workers, std::int64_t period_ns) noexcept {
  if (monitor == nullptr) monitor = new Monitor();
  monitor->workers.assign(workers.begin(), workers.end());
  monitor->period_ns = period_ns;
  monitor->stopping.store(0, std::memory_order_relaxed);
  const int error = pthread_create(&monitor->thread, nullptr, watch, nullptr);
  monitor->runs = error == 0;
  return error;
}

void stop_call_monitor() noexcept {
  if (monitor == nullptr || !monitor->runs) return;
  monitor->stopping.store(1, std::memory_order_seq_cst);
  platform::futex_wake_one(monitor->stopping);
  wake_call_monitor();
  pthread_join(monitor->thread, nullptr);
  monitor->runs = false;
}

}  // namespace heddle::ult
