#include "exec/ult/lend.h"

#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstring>

#include "base/mutex.h"
#include "base/platform/own_thread.h"
#include "exec/ult/completion.h"
#include "exec/ult/executable_stacks.h"
#include "exec/ult/run/lent_worker.h"
#include "exec/ult/run/worker_table.h"
#include "exec/ult/switch/orphan.h"
#include "exec/ult/wait/kernel_strand.h"
#include "exec/ult/wait/lending.h"
#include "exec/ult/wait/stand_in.h"

namespace heddle::ult {

namespace {

constinit std::atomic<bool> ending{false};

// Lock: guards that the stand-in is started once; held while its thread begins.
Mutex start_lock;
pthread_t stand_in_thread;
LentWorker* kept_worker = nullptr;  // for the next start: a late waker may look at it

void* stand_in_main(void* begun) {
  become_stand_in();
  KernelStrand& strand = KernelStrand::mine();
  LentWorker& worker = *kept_worker;
  worker.set_stand_in(strand);
  the_lent_worker.store(&worker, std::memory_order_release);
  static_cast<Completion*>(begun)->set();
  StandIn(worker, strand).main(ending);
  return nullptr;
}

std::size_t usual_stack_bytes() noexcept {
  pthread_attr_t usual;
  std::size_t bytes = 0;
  if (pthread_getattr_default_np(&usual) != 0) return 0;
  pthread_attr_getstacksize(&usual, &bytes);
  pthread_attr_destroy(&usual);
  return bytes;
}

}  // namespace

Error start_lending() {
  const MutexGuard guard(start_lock);
  if (the_lent_worker.load(std::memory_order_acquire) != nullptr) return {};
  const char* reason = nullptr;
  if (!Orphan::learn_layout(&reason)) {
    return Error::make(kErrorOther, "user-level threads cannot run here: %s", reason);
  }
  adopt_stacks_of_process();
  WorkerTable& table = worker_table();
  if (table.default_stack_bytes == 0) table.default_stack_bytes = usual_stack_bytes();
  if (kept_worker == nullptr) kept_worker = new LentWorker();
  ending.store(false, std::memory_order_relaxed);
  Completion begun;
  if (int error = platform::start_own_thread({"heddle-stand-in", stand_in_main, &begun},
                                             &stand_in_thread)) {
    return Error::make(kErrorOther, "no thread for what was started could be made: %s",
                       std::strerror(error));
  }
  begun.wait();
  return {};
}

void stop_lending() noexcept {
  LentWorker* const worker = the_lent_worker.load(std::memory_order_acquire);
  if (worker == nullptr) return;
  assert(work_under_way() == 0);
  // relaxed: the wake-up is counted, and orders it.
  ending.store(true, std::memory_order_relaxed);
  worker->end_stand_in();
  pthread_join(stand_in_thread, nullptr);
  the_lent_worker.store(nullptr, std::memory_order_release);
}

}  // namespace heddle::ult
