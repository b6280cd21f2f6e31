#include "exec/ult/run/worker_table.h"

#include <algorithm>
#include <cassert>

#include "exec/ult/run/lent_worker.h"
#include "exec/ult/run/thread_worker.h"

namespace heddle::ult {

constinit std::atomic<LentWorker*> the_lent_worker{nullptr};

WorkerTable& worker_table() noexcept {
  static WorkerTable* instance = new WorkerTable();
  return *instance;
}

Worker& worker_for(int wanted) noexcept {
  std::vector<ThreadWorker*>& workers = worker_table().workers;
  const int running = worker_table().running.load(std::memory_order_acquire);
  assert(wanted < running);
  // No scheduler runs; the caller may be any strand.
  if (running == 0) return *the_lent_worker.load(std::memory_order_acquire);
  if (wanted >= 0) return *workers[static_cast<std::size_t>(wanted)];
  if (Ult* caller = Ult::current_) return caller->here();
  return **std::min_element(workers.begin(), workers.begin() + running,
                            [](ThreadWorker* a, ThreadWorker* b) { return a->load() < b->load(); });
}

}  // namespace heddle::ult
