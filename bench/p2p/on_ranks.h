// on_ranks.h — times something that all ranks of a job do in a loop.
//
// Thread safety: one job at a time.

#pragma once

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <time.h>

#include "heddle/mpix.h"

namespace heddle::bench {

// What each rank does `iterations` times; `bytes` as the benchmark's argument has it.
using Body = void (*)(int rank, int size, long iterations, int bytes);

struct Job {
  Body body;
  long iterations;
  int bytes;
  double seconds;      // rank 0's, between two barriers
  double cpu_seconds;  // of the whole process meanwhile: what counts on a busy machine
};

inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline void run_rank(void* argument) {
  auto& job = *static_cast<Job*>(argument);
  int rank, size;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  job.body(rank, size, job.iterations / 10 + 1, job.bytes);  // warm up
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime(), cpu_start = cpu_seconds();
  job.body(rank, size, job.iterations, job.bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    job.seconds = MPI_Wtime() - start;
    job.cpu_seconds = cpu_seconds() - cpu_start;
  }
  MPI_Finalize();
}

// Time a call of the body's loop body, in the benchmark's manual time; `halves` is 2 where one
// iteration is a round trip.
inline void time_on_ranks(benchmark::State& state, int ranks, int workers, Body body, int bytes,
                          long iterations, int halves) {
  MPIX_Run_options options = {};
  options.workers = workers;
  for (auto _ : state) {
    Job job{body, iterations, bytes, 0, 0};
    MPIX_Run(ranks, run_rank, &job, &options);
    const double steps = static_cast<double>(iterations) * halves;
    state.SetIterationTime(job.seconds / steps);
    state.counters["cpu_ns_of_all_workers"] = 1e9 * job.cpu_seconds / steps;
  }
}

}  // namespace heddle::bench
