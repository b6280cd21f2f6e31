// Barriers, reductions and broadcasts with more and more ranks on one worker and on two.

#include <vector>

#include "bench/p2p/on_ranks.h"

namespace {

using heddle::bench::Body;
using heddle::bench::time_on_ranks;

void barrier(int, int, long iterations, int) {
  for (long i = 0; i < iterations; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

void allreduce(int, int, long iterations, int bytes) {
  std::vector<double> in(static_cast<std::size_t>(bytes) / 8, 1.0), out(in);
  for (long i = 0; i < iterations; ++i) {
    MPI_Allreduce(in.data(), out.data(), bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

void bcast(int, int, long iterations, int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  for (long i = 0; i < iterations; ++i) {
    MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
}

// A ring shift of 8 bytes, as a stencil code does.
void neighbours(int rank, int size, long iterations, int) {
  double out = 1, in = 0;
  for (long i = 0; i < iterations; ++i) {
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, &in, 1, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Arguments: ranks, workers.
void run(benchmark::State& state, Body body, int bytes) {
  const auto ranks = static_cast<int>(state.range(0)), workers = static_cast<int>(state.range(1));
  time_on_ranks(state, ranks, workers, body, bytes, 400000 / ranks / (1 + bytes / 1024) + 10, 1);
}

void small(benchmark::internal::Benchmark* it) {
  it->ArgsProduct({{2, 16, 64, 256, 1024}, {1, 2}})->UseManualTime()->Iterations(3);
}
void large(benchmark::internal::Benchmark* it) {
  it->ArgsProduct({{4, 16, 64}, {2}})->UseManualTime()->Iterations(3);
}

}  // namespace

BENCHMARK_CAPTURE(run, barrier, barrier, 0)->Apply(small);
BENCHMARK_CAPTURE(run, allreduce_8, allreduce, 8)->Apply(small);
BENCHMARK_CAPTURE(run, allreduce_1K, allreduce, 1024)->Apply(small);
BENCHMARK_CAPTURE(run, bcast_8, bcast, 8)->Apply(small);
BENCHMARK_CAPTURE(run, allreduce_64K, allreduce, 65536)->Apply(large);
BENCHMARK_CAPTURE(run, allreduce_1M, allreduce, 1 << 20)->Apply(large);
BENCHMARK_CAPTURE(run, bcast_64K, bcast, 65536)->Apply(large);
BENCHMARK_CAPTURE(run, bcast_1M, bcast, 1 << 20)->Apply(large);
BENCHMARK_CAPTURE(run, neighbours_8, neighbours, 8)->Apply(small);
