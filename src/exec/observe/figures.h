// figures.h — what `mpiexec --stats` counts of each rank and each worker.
//
// Plain memory, which several processes may share.
//
// Thread safety: any thread.

#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::observe {

// Orders nothing else.
class Sum {
 public:
  void add(std::int64_t more) noexcept { value_.fetch_add(more, std::memory_order_relaxed); }
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// A call that a call of MPI makes is a part of that one.
struct alignas(64) RankFigures {
  Sum calls;           // of MPI functions, by all threads of the rank
  Sum mpi_ns;          // in these; threads that are in MPI at the same time each count
  Sum waits;           // for other ranks, within calls
  Sum wait_ns;         // in these
  Sum sent;            // point-to-point messages that the program has sent
  Sum sent_bytes;      // their payload
  Sum received;        // those matched with a receive
  Sum received_bytes;  // their payload as it was sent
};

struct alignas(64) WorkerFigures {
  // While it runs.
  Sum idle_ns;     // without a ult to run
  Sum idle_since;  // CLOCK_MONOTONIC; 0: it is not idle now, and all is in idle_ns
  // At the end.
  Sum elapsed_ns;     // since the start of the job; 0: the worker has told nothing
  Sum idle_total_ns;  // of that
  Sum switches;
  Sum moves;  // of ults, away from here
};

}  // namespace heddle::observe
