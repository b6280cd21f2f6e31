#include "runtime/singleton.h"

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
#include "exec/ult/poller.h"
#include "runtime/abort.h"
#include "runtime/by_network.h"
#include "runtime/deadlock_of_process.h"
#include "runtime/launched_job.h"
#include "runtime/members.h"
#include "runtime/node_memory.h"
#include "runtime/observation.h"
#include "runtime/other_launcher.h"
#include "runtime/process_rank.h"
#include "runtime/transports.h"

namespace heddle::runtime {

namespace {

struct Singleton {
  Singleton(const Layout& layout, int number) : members(layout, number), rank(number) {}

  Members members;
  Rank rank;
  // Both pointers are null in a job of one.
  std::unique_ptr<NodeMemory> memory;     // from mpiexec
  std::unique_ptr<LaunchedJob> launched;  // by another launcher
  std::atomic<bool> has_left{false};      // a job of several
  std::atomic<bool> may_leave{false};     // at the end of the process: all sessions are closed
};

// Never destroyed: the program's atexit handlers may still ask MPI_Finalized.
std::atomic<Singleton*> the_singleton{nullptr};

// Each rank is a host; `nodes` by rank.
Layout layout_of(const std::vector<int>& nodes) {
  return {static_cast<int>(nodes.size()), nodes};
}

Error connect_launched(const Layout& layout, watch::Ender end, Singleton& singleton) {
  LaunchedJob& job = *singleton.launched;
  transport::Routes routes;
  if (Error e =
          job.connect(layout, {.host = job.host(), .wake = ult::nudge}, end, nullptr, &routes)) {
    return e;
  }
  singleton.members.connect(std::move(routes));
  return {};
}

pid_t joined_by = 0;  // this process, not a child of it

// exit() calls it: its launcher may not care for the status, and the watch over the hosts does not
// know it.
void tell_status(int status, void*) noexcept {
  if (status == 0 || joined_by != getpid() || ranks_inside() == 0 || !adopt_strand()) return;
  std::fflush(nullptr);
  abort_without("the program", status, kUnfinalized);
}

Error make_singleton(std::unique_ptr<Singleton>* made) {
  ProcessRank process;
  if (Error e = find_process_rank(&process)) return e;
  std::unique_ptr<LaunchedJob> launched;
  if (!process.is_one()) {
    if (Error e = LaunchedJob::find(Silences::kProgramsCome, abort_for_others, &launched)) return e;
  } else {
    launched = by_network(process);
  }
  if (launched != nullptr) {
    const Layout layout = layout_of(launched->nodes());
    *made = std::make_unique<Singleton>(layout, launched->host());
    (*made)->launched = std::move(launched);
    if (layout.hosts() == 1) return {};
    joined_by = getpid();
    if (!process.is_one()) on_exit(tell_status, nullptr);
    // Our mpiexec is the parent of all, and sees them die.
    return connect_launched(layout, process.is_one() ? nullptr : abort_for_others, **made);
  }
  if (!process.is_one()) {
    if (Error e = check_started_alone()) return e;
  }
  // All are on this node.
  const std::vector<int> nodes(static_cast<std::size_t>(process.processes));
  *made = std::make_unique<Singleton>(layout_of(nodes), process.number);
  if (process.processes > 1) {
    transport::Routes routes;
    const transport::Opening opening{.host = process.number, .wake = ult::nudge};
    (*made)->memory = std::make_unique<NodeMemory>();
    if (Error e = (*made)->memory->connect(process, opening, &routes)) return e;
    (*made)->members.connect(std::move(routes));
    watch_process_for_deadlock((*made)->members, *(*made)->memory);
  } else if (process.is_one()) {
    ::close(process.memory);
  }
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
  made->members.introduce(made->rank);
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

void leave_process_job() noexcept {
  Singleton* const singleton = the_singleton.load(std::memory_order_acquire);
  if (singleton == nullptr) return;
  if (singleton->launched == nullptr) return singleton->members.send_rest();
  singleton->may_leave.store(false, std::memory_order_relaxed);
  if (world::here().host->gateway() != nullptr) {
    singleton->has_left.store(true, std::memory_order_relaxed);
  }
  singleton->members.disconnect_orderly();
  singleton->launched->leave();
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
  singleton->members.send_rest();
  if (singleton->launched == nullptr) return;
  static const int registered = atexit(leave_on_the_way_out);
  static_cast<void>(registered);
  singleton->may_leave.store(true, std::memory_order_relaxed);
}

}  // namespace heddle::runtime
