// Ping-pong between two ranks: half a round trip, on one worker and on two. Next to it one memcpy
// of the same size, which is what a large message should cost.

#include <cstring>
#include <vector>

#include "bench/p2p/on_ranks.h"

namespace {

using heddle::bench::time_on_ranks;

void ping_pong(int rank, int, long iterations, int bytes) {
  static thread_local std::vector<char> buffer;
  buffer.resize(static_cast<std::size_t>(bytes));
  for (long i = 0; i < iterations; ++i) {
    if (rank == 0) MPI_Send(buffer.data(), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffer.data(), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

// The end of a window: rank 1 tells that it has all.
void answer(int rank) {
  if (rank == 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
}

// Rank 0 sends a window of messages, then waits for an answer.
void stream(int rank, int, long iterations, int bytes) {
  constexpr int kWindow = 16;
  static thread_local std::vector<char> buffer;
  buffer.resize(static_cast<std::size_t>(bytes) * kWindow);
  MPI_Request requests[kWindow];
  for (long i = 0; i < iterations / kWindow + 1; ++i) {
    for (int j = 0; j < kWindow; ++j) {
      char* at = buffer.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(bytes);
      if (rank == 0) {
        MPI_Isend(at, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[j]);
      } else {
        MPI_Irecv(at, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[j]);
      }
    }
    MPI_Waitall(kWindow, requests, MPI_STATUSES_IGNORE);
    answer(rank);
  }
}

// Rank 0 sends a burst of messages for which no receive is posted yet, each with MPI_Send: below the
// eager limit it goes on at once, above it waits for the receiver each time.
void burst(int rank, int, long iterations, int bytes) {
  constexpr int kBurst = 32;
  static thread_local std::vector<char> buffer;
  buffer.resize(static_cast<std::size_t>(bytes) * kBurst);
  for (long i = 0; i < iterations / kBurst + 1; ++i) {
    for (int j = 0; j < kBurst; ++j) {
      char* at = buffer.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(bytes);
      if (rank == 0) {
        MPI_Send(at, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      } else {
        MPI_Recv(at, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    answer(rank);
  }
}

long iterations_for(long bytes) {
  return bytes <= 4096 ? 100000 : (1L << 29) / bytes;
}

void half_round_trip(benchmark::State& state) {
  const auto workers = static_cast<int>(state.range(0));
  const auto bytes = static_cast<int>(state.range(1));
  time_on_ranks(state, 2, workers, ping_pong, bytes, iterations_for(bytes), 2);
  state.SetBytesProcessed(state.iterations() * bytes);
}

void message_of_a_stream(benchmark::State& state) {
  const auto workers = static_cast<int>(state.range(0));
  const auto bytes = static_cast<int>(state.range(1));
  time_on_ranks(state, 2, workers, stream, bytes, iterations_for(bytes), 1);
  state.SetBytesProcessed(state.iterations() * bytes);
}

void message_of_a_burst(benchmark::State& state) {
  const auto workers = static_cast<int>(state.range(0));
  const auto bytes = static_cast<int>(state.range(1));
  time_on_ranks(state, 2, workers, burst, bytes, iterations_for(bytes), 1);
}

void one_memcpy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<char> from(bytes, 1), to(bytes, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<long>(bytes));
}

}  // namespace

BENCHMARK(half_round_trip)
    ->ArgsProduct({{1, 2}, {8, 256, 1024, 4096, 8192, 16384, 65536, 1 << 20, 4 << 20}})
    ->UseManualTime()
    ->Iterations(3);
BENCHMARK(message_of_a_stream)
    ->ArgsProduct({{1, 2}, {8, 1024, 8192, 65536, 1 << 20, 4 << 20}})
    ->UseManualTime()
    ->Iterations(3);
BENCHMARK(message_of_a_burst)
    ->ArgsProduct({{1, 2}, {256, 512, 1024, 2048, 4096, 8192, 16384, 65536}})
    ->UseManualTime();
BENCHMARK(one_memcpy)->Arg(8192)->Arg(65536)->Arg(1 << 20)->Arg(4 << 20);
