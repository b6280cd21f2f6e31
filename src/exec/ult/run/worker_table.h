// worker_table.h — the workers of the running scheduler, and the choice of a worker for a new ult.
//
// Thread safety: start() and stop() write it (scheduler.h); the rest any strand, while the
// scheduler runs.

#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace heddle::ult {

class LentWorker;
class ThreadWorker;
class Worker;

struct WorkerTable {
  // Kept after stop() and used again: a late waker may still look at a worker.
  std::vector<ThreadWorker*> workers;
  std::atomic<int> running{0};  // how many of them run; release in start, acquire elsewhere
  std::size_t default_stack_bytes = 0;
  int first_core = 0;  // of worker 0
};

// The worker without a thread (lend.h). Null where kernel threads lend themselves to none; constant
// while work is under way.
extern constinit std::atomic<LentWorker*> the_lent_worker;

// Never destroyed, so that it outlives every static destructor that may still wait.
WorkerTable& worker_table() noexcept;

// The worker that Attributes::worker asks for; -1: the caller's, else the least loaded.
Worker& worker_for(int wanted) noexcept;

}  // namespace heddle::ult
