// Patterns in which sender and receiver meet at the same lane at the same time: exchanges of 8 bytes,
// a stream of empty messages, a halo of four neighbours.

#include <vector>

#include "bench/p2p/on_ranks.h"

namespace {

using heddle::bench::Body;
using heddle::bench::time_on_ranks;

constexpr int kPing = 0, kAnswer = 1;

void ping_pong(int rank, int, long iterations, int) {
  double value = 0;
  for (long i = 0; i < iterations; ++i) {
    if (rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, kPing, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, kPing, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&value, 1, MPI_DOUBLE, 0, kPing, MPI_COMM_WORLD);
  }
}

void sendrecv(int rank, int, long iterations, int) {
  double in = 0, out = 0;
  for (long i = 0; i < iterations; ++i) {
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, 1 - rank, kPing, &in, 1, MPI_DOUBLE, 1 - rank, kPing,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void irecv_isend_waitall(int rank, int, long iterations, int) {
  double in = 0, out = 0;
  MPI_Request requests[2];
  for (long i = 0; i < iterations; ++i) {
    MPI_Irecv(&in, 1, MPI_DOUBLE, 1 - rank, kPing, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, 1 - rank, kPing, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// Rank 0 sends empty messages, rank 1 answers every 256.
void stream_of_nothing(int rank, int, long iterations, int) {
  constexpr long kEvery = 256;
  for (long i = 1; i <= iterations; ++i) {
    if (rank == 0) {
      MPI_Send(nullptr, 0, MPI_BYTE, 1, kPing, MPI_COMM_WORLD);
    } else {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kPing, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (i % kEvery != 0) continue;
    if (rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kAnswer, MPI_COMM_WORLD);
    }
  }
}

// 64 messages of 1 KiB a window.
void windows(int rank, int, long iterations, int) {
  constexpr int kWindow = 64, kBytes = 1024;
  static char buffers[2][kWindow][kBytes];
  MPI_Request requests[kWindow];
  for (long i = 0; i < iterations / kWindow + 1; ++i) {
    for (int j = 0; j < kWindow; ++j) {
      char* const buffer = buffers[rank][j];
      if (rank == 0) {
        MPI_Isend(buffer, kBytes, MPI_BYTE, 1, kPing, MPI_COMM_WORLD, &requests[j]);
      } else {
        MPI_Irecv(buffer, kBytes, MPI_BYTE, 0, kPing, MPI_COMM_WORLD, &requests[j]);
      }
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(nullptr, 0, MPI_BYTE, 0, kAnswer, MPI_COMM_WORLD);
    }
  }
}

// A ring with two neighbours on either side.
void halo(int rank, int size, long iterations, int) {
  constexpr int kNeighbours = 4;
  double in[kNeighbours] = {}, out[kNeighbours] = {};
  const int distance[kNeighbours] = {1, size - 1, 2, size - 2};
  MPI_Request requests[2 * kNeighbours];
  for (long i = 0; i < iterations; ++i) {
    for (int j = 0; j < kNeighbours; ++j) {
      MPI_Irecv(&in[j], 1, MPI_DOUBLE, (rank + distance[j]) % size, j ^ 1, MPI_COMM_WORLD,
                &requests[j]);
    }
    for (int j = 0; j < kNeighbours; ++j) {
      MPI_Isend(&out[j], 1, MPI_DOUBLE, (rank + distance[j]) % size, j, MPI_COMM_WORLD,
                &requests[kNeighbours + j]);
    }
    MPI_Waitall(2 * kNeighbours, requests, MPI_STATUSES_IGNORE);
  }
}

// Each rank sends 8 bytes to each.
void all_to_all(int rank, int size, long iterations, int) {
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(size));
  std::vector<double> in(static_cast<std::size_t>(size)), out(in);
  for (long i = 0; i < iterations; ++i) {
    for (int j = 0; j < size; ++j) {
      const auto at = static_cast<std::size_t>((rank + j) % size);
      MPI_Irecv(&in[at], 1, MPI_DOUBLE, static_cast<int>(at), 0, MPI_COMM_WORLD, &requests[at]);
    }
    for (int j = 0; j < size; ++j) {
      const auto at = static_cast<std::size_t>((rank + j) % size);
      MPI_Isend(&out[at], 1, MPI_DOUBLE, static_cast<int>(at), 0, MPI_COMM_WORLD,
                &requests[at + static_cast<std::size_t>(size)]);
    }
    MPI_Waitall(2 * size, requests.data(), MPI_STATUSES_IGNORE);
  }
}

// Arguments: ranks, workers.
void run(benchmark::State& state, Body body, long iterations, int halves) {
  const auto ranks = static_cast<int>(state.range(0)), workers = static_cast<int>(state.range(1));
  time_on_ranks(state, ranks, workers, body, 0, iterations / ranks, halves);
}

void pair(benchmark::internal::Benchmark* it) {
  it->Args({2, 1})->Args({2, 2})->UseManualTime()->Iterations(3);
}
void many(benchmark::internal::Benchmark* it) {
  it->Args({16, 1})->Args({16, 2})->Args({256, 1})->UseManualTime()->Iterations(3);
}

}  // namespace

BENCHMARK_CAPTURE(run, half_round_trip, ping_pong, 400000, 2)->Apply(pair);
BENCHMARK_CAPTURE(run, sendrecv, sendrecv, 400000, 1)->Apply(pair);
BENCHMARK_CAPTURE(run, irecv_isend_waitall, irecv_isend_waitall, 400000, 1)->Apply(pair);
BENCHMARK_CAPTURE(run, stream_of_nothing, stream_of_nothing, 1024000, 1)->Apply(pair);
BENCHMARK_CAPTURE(run, windows_of_1K, windows, 512000, 1)->Apply(pair);
BENCHMARK_CAPTURE(run, halo, halo, 160000, 1)->Apply(many);
BENCHMARK_CAPTURE(run, all_to_all, all_to_all, 1024, 1)
    ->Args({512, 1})
    ->UseManualTime()
    ->Iterations(1);
