#include "exec/ult/preempt/call_monitor.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/foreign.h"
#include "base/platform/futex.h"
#include "base/platform/own_thread.h"
#include "exec/ult/periods.h"
#include "exec/ult/run/away_request.h"
#include "exec/ult/run/monitor_sleep.h"
#include "exec/ult/run/thread_worker.h"
#include "exec/ult/run/ticks.h"
#include "exec/ult/stillness.h"
#include "exec/ult/switch/worker_thread.h"

namespace heddle::ult {

namespace {

// One worker, as the monitor sees it.
class Watched {
 public:
  explicit Watched(ThreadWorker& worker) noexcept : worker_(worker) {}
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

  ThreadWorker& worker_;
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

// Makes spare threads. For this it may wait for a lock of libc which has been promised to a ult
// that is away, and which is only taken when the monitor interrupts the next call. So the monitor
// itself makes none.
class SpareMaker {
 public:
  int start() noexcept {
    const int error = platform::start_own_thread({"heddle-spares", run, this}, &thread_);
    if (error == 0) platform::count_own_thread(1);
    return error;
  }
  void stop() noexcept {
    platform::count_own_thread(-1);
    order(kEnd);
    pthread_join(thread_, nullptr);
    order_.store(kNone, std::memory_order_relaxed);
  }
  void order_one() noexcept {
    if (order_.load(std::memory_order_relaxed) == kNone) order(kOne);
  }

 private:
  static constexpr std::uint32_t kNone = 0, kOne = 1, kEnd = 2;

  void order(std::uint32_t what) noexcept {
    order_.store(what, std::memory_order_release);
    platform::futex_wake_one(order_);
  }

  static void* run(void* maker) {
    static_cast<SpareMaker*>(maker)->make_spares();
    return nullptr;
  }

  void make_spares() noexcept {
    std::uint32_t ordered = kNone;
    while ((ordered = order_.load(std::memory_order_acquire)) != kEnd) {
      if (ordered == kNone) {
        platform::futex_wait(order_, kNone);
        continue;
      }
      int error = 0;
      // Where the kernel has no thread to give now, the next order tries again.
      if (WorkerThread* made = WorkerThread::take(&error)) WorkerThread::put_back(*made);
      order_.compare_exchange_strong(ordered, kNone, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> order_{kNone};
  pthread_t thread_{};
};
constinit SpareMaker spare_maker;

void Watched::ask() noexcept {
  AwayRequest& request = worker_.away_request();
  if (request.spare == nullptr) request.spare = WorkerThread::take_spare();
  if (request.spare == nullptr) {
    spare_maker.order_one();
    // Until there is one, the call begins anew at least.
    if (!has_duration(call_)) ask_to_go_away(kernel_thread_);
    return;
  }
  request.call = call_;
  request.since_ns = since_ns_;
  request.switches = switches_;
  request.state.store(AwayRequest::kAsked, std::memory_order_release);
  ask_to_go_away(kernel_thread_);
}

struct Monitor {
  std::vector<ThreadWorker*> workers;
  std::int64_t period_ns = 0;
  pthread_t thread{};
  bool runs = false;
  std::atomic<std::uint32_t> stopping{0};
};
constinit Monitor* monitor = nullptr;
constinit std::atomic<void (*)() noexcept> period_hook{nullptr};

// Sleeps until a worker has something to do.
void sleep_with_workers(const std::vector<Watched*>& all) noexcept {
  call_monitor_sleeps.store(1, std::memory_order_seq_cst);  // [S1]
  const bool all_sleep = std::all_of(all.begin(), all.end(),
                                     [](const Watched* one) { return one->sleeps(); });  // [S2]
  // A worker may be on its way into its sleep, and a kernel thread on its way out. So the judge
  // looks a few times: at most for 2.5 s, which costs an idle process no more, and when it wants
  // to.
  constexpr int kLooks = 9;
  std::int64_t pause_ns = 10'000'000;
  int looks = 0;
  while (all_sleep && call_monitor_sleeps.load(std::memory_order_relaxed) != 0 &&
         monitor->stopping.load(std::memory_order_seq_cst) == 0) {
    const std::int64_t wanted = judge_stillness();
    const bool is_last = ++looks >= kLooks;
    const std::int64_t usual = is_last ? platform::kNever : platform::now_ns() + pause_ns;
    platform::futex_wait(call_monitor_sleeps, 1, std::min(wanted, usual));
    if (!is_last) pause_ns *= 2;
  }
  call_monitor_sleeps.store(0, std::memory_order_relaxed);
}

void* watch(void*) {
  std::vector<Watched*> all;
  for (ThreadWorker* worker : monitor->workers) all.push_back(new Watched(*worker));
  while (monitor->stopping.load(std::memory_order_acquire) == 0) {
    sleep_with_workers(all);
    platform::futex_wait(monitor->stopping, 0, platform::now_ns() + monitor->period_ns);
    for (Watched* one : all) one->look();
    if (const auto hook = period_hook.load(std::memory_order_acquire)) hook();
  }
  for (Watched* one : all) delete one;
  return nullptr;
}

}  // namespace

void set_period_hook(void (*hook)() noexcept) noexcept {
  period_hook.store(hook, std::memory_order_release);
}

int start_call_monitor(std::span<ThreadWorker* const> workers, std::int64_t period_ns) noexcept {
  if (monitor == nullptr) monitor = new Monitor();
  monitor->workers.assign(workers.begin(), workers.end());
  monitor->period_ns = period_ns;
  monitor->stopping.store(0, std::memory_order_relaxed);
  if (int error = spare_maker.start()) return error;
  const int error =
      platform::start_own_thread({"heddle-monitor", watch, nullptr}, &monitor->thread);
  monitor->runs = error == 0;
  if (monitor->runs) platform::count_own_thread(1);
  if (error != 0) spare_maker.stop();
  return error;
}

void stop_call_monitor() noexcept {
  if (monitor == nullptr || !monitor->runs) return;
  platform::count_own_thread(-1);
  spare_maker.stop();  // which may need the monitor
  monitor->stopping.store(1, std::memory_order_seq_cst);
  platform::futex_wake_one(monitor->stopping);
  wake_call_monitor();
  pthread_join(monitor->thread, nullptr);
  monitor->runs = false;
}

}  // namespace heddle::ult
