// Predefined operations next to plain loops.

#include <benchmark/benchmark.h>

#include <vector>

#include "mpi/op/op.h"

namespace heddle::op {
namespace {

template <class T>
void reduce(benchmark::State& state, MPI_Op op, MPI_Datatype type) {
  const auto count = static_cast<std::size_t>(state.range(0)) / sizeof(T);
  const std::vector<T> in(count, T(1));
  std::vector<T> inout(count, T(1));
  const Op& operation = *from_handle(op);
  for (auto _ : state) {
    operation.apply(in.data(), inout.data(), static_cast<MPI_Count>(count), datatype::named(type));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sum_double(benchmark::State& state) {
  reduce<double>(state, MPI_SUM, MPI_DOUBLE);
}
void max_int(benchmark::State& state) {
  reduce<int>(state, MPI_MAX, MPI_INT);
}

void sum_double_by_hand(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0)) / sizeof(double);
  const std::vector<double> in(count, 1.0);
  std::vector<double> inout(count, 1.0);
  for (auto _ : state) {
    const double* a = in.data();
    double* b = inout.data();
    for (std::size_t i = 0; i < count; ++i) b[i] += a[i];
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK(sum_double)->Arg(8)->Arg(256)->Arg(16 << 10)->Arg(4 << 20);
BENCHMARK(sum_double_by_hand)->Arg(8)->Arg(256)->Arg(16 << 10)->Arg(4 << 20);
BENCHMARK(max_int)->Arg(16 << 10);

}  // namespace
}  // namespace heddle::op
