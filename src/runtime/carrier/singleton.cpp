#include "runtime/carrier/singleton.h"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/settings.h"
#include "exec/rank/rank.h"
#include "runtime/carrier/observation.h"
#include "runtime/crew/hosts.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"
#include "runtime/judge/deadlock_of_process.h"
#include "runtime/ways/find_way.h"

namespace heddle::runtime {

namespace {

struct Singleton {
  // Each rank is a host.
  explicit Singleton(std::unique_ptr<Way> found)
      : way(std::move(found)), hosts(way->layout(way->processes()), *way), rank(way->process()) {}

  std::unique_ptr<Way> way;
  Hosts hosts;
  Rank rank;
  std::atomic<bool> has_left{false};   // a job of several
  std::atomic<bool> may_leave{false};  // at the end of the process: all sessions are closed
};

// Never destroyed: the program's atexit handlers may still ask MPI_Finalized.
std::atomic<Singleton*> the_singleton{nullptr};

pid_t joined_by = 0;  // this process, not a child of it

// exit() calls it: its launcher may not care for the status, and the watch over the hosts does not
// know it.
void tell_status(int status, void*) noexcept {
  if (status == 0 || joined_by != getpid() || !job_board().any_uses() || !adopt_strand()) return;
  std::fflush(nullptr);
  abort_without("the program", status, kUnfinalized);
}

Error make_singleton(std::unique_ptr<Singleton>* made) {
  int memory = -1;
  if (Error e = job_board().join(&memory)) return e;
  std::unique_ptr<Way> way;
  if (Error e = find_way(memory, Silences::kProgramsCome, &way)) return e;
  if (way->processes() > 1 && !job_board().is_shared()) {
    joined_by = getpid();
    on_exit(tell_status, nullptr);
  }
  *made = std::make_unique<Singleton>(std::move(way));
  if (Error e = (*made)->hosts.connect(1, nullptr)) return e;
  watch_process_for_deadlock((*made)->hosts, *(*made)->way);
  return {};
}

}  // namespace

Error start_singleton() {
  // Lock: guards the making of the one rank of a process, which threads may ask for at the same
  // time.
  static Mutex lock;
  const MutexGuard guard(lock);
  if (adopt_strand()) return {};
  if (Error e = settings::check()) return e;
  std::unique_ptr<Singleton> made;
  if (Error e = make_singleton(&made)) return e;
  Rank::enter(&made->rank);
  made->hosts.introduce(made->rank);
  observe_until_exit(world::here().host->job().size(), made->rank.number());
  // release: a thread that adopts the rank sees a whole one; pairs with [A1].
  the_singleton.store(made.release(), std::memory_order_release);
  return {};
}

bool adopt_strand() noexcept {
  Singleton* singleton = the_singleton.load(std::memory_order_acquire);  // [A1]
  if (singleton == nullptr) return false;
  Rank::enter(&singleton->rank);
  return true;
}

Phase phase_of_caller() noexcept {
  if (Rank::current() == nullptr) adopt_strand();
  return phase();
}

void leave_process_job() noexcept {
  Singleton* const singleton = the_singleton.load(std::memory_order_acquire);
  if (singleton == nullptr) return;
  if (!singleton->way->has_network()) return singleton->hosts.send_rest();
  singleton->may_leave.store(false, std::memory_order_relaxed);
  if (world::here().host->gateway() != nullptr) {
    singleton->has_left.store(true, std::memory_order_relaxed);
  }
  singleton->hosts.leave();
}

bool has_left_process_job() noexcept {
  Singleton* const singleton = the_singleton.load(std::memory_order_acquire);
  if (singleton == nullptr) return false;
  singleton->may_leave.store(false, std::memory_order_relaxed);
  return singleton->has_left.load(std::memory_order_relaxed);
}

namespace {
void leave_on_the_way_out() noexcept {
  if (adopt_strand() && the_singleton.load(std::memory_order_acquire)->may_leave) {
    leave_process_job();
  }
}
}  // namespace

void rest_in_process_job() noexcept {
  Singleton* const singleton = the_singleton.load(std::memory_order_acquire);
  if (singleton == nullptr) return;
  singleton->hosts.send_rest();
  if (!singleton->way->has_network()) return;
  static const int registered = atexit(leave_on_the_way_out);
  static_cast<void>(registered);
  singleton->may_leave.store(true, std::memory_order_relaxed);
}

}  // namespace heddle::runtime
