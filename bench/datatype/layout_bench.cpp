// Pack, unpack and copy of datatypes, each next to the loop that a program would write by hand for
// its own data. 32 KiB and 1 MiB of data: in the nearest cache, and beyond it.

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <vector>

#include "exec/rank/rank.h"
#include "mpi/datatype/buffer.h"
#include "mpi/datatype/make.h"

namespace heddle::datatype {
namespace {

using object::Ref;

Ref<Datatype> vector_of_doubles(MPI_Count count, MPI_Count length, MPI_Count stride) {
  Datatype* made = nullptr;
  if (make_vector(true, count, length, stride, &named(MPI_DOUBLE), &made)) std::abort();
  return Ref<Datatype>::adopt(made);
}

void note_bytes(benchmark::State& state, MPI_Count bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
}

// ---- every other double -------------------------------------------------------------------------

void pack_column(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  const Ref<Datatype> type = vector_of_doubles(count, 1, stride);
  std::vector<double> from(static_cast<std::size_t>(count * stride), 1.0);
  std::vector<double> to(static_cast<std::size_t>(count));
  for (auto _ : state) {
    pack({from.data(), 1, type.get()}, 0, to.data(), count * 8);
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void pack_column_by_hand(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  std::vector<double> from(static_cast<std::size_t>(count * stride), 1.0);
  std::vector<double> to(static_cast<std::size_t>(count));
  for (auto _ : state) {
    const double* in = from.data();
    for (MPI_Count i = 0; i < count; ++i) to[static_cast<std::size_t>(i)] = in[i * stride];
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void unpack_column(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  const Ref<Datatype> type = vector_of_doubles(count, 1, stride);
  std::vector<double> to(static_cast<std::size_t>(count * stride), 1.0);
  std::vector<double> from(static_cast<std::size_t>(count));
  for (auto _ : state) {
    unpack({to.data(), 1, type.get()}, 0, from.data(), count * 8);
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void unpack_column_by_hand(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  std::vector<double> to(static_cast<std::size_t>(count * stride), 1.0);
  std::vector<double> from(static_cast<std::size_t>(count));
  for (auto _ : state) {
    double* out = to.data();
    for (MPI_Count i = 0; i < count; ++i) out[i * stride] = from[static_cast<std::size_t>(i)];
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void copy_column(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  const Ref<Datatype> type = vector_of_doubles(count, 1, stride);
  std::vector<double> from(static_cast<std::size_t>(count * stride), 1.0), to = from;
  for (auto _ : state) {
    copy({from.data(), 1, type.get()}, {to.data(), 1, type.get()}, 0, count * 8);
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void copy_column_by_hand(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8, stride = state.range(1);
  std::vector<double> from(static_cast<std::size_t>(count * stride), 1.0), to = from;
  for (auto _ : state) {
    for (MPI_Count i = 0; i < count; ++i) {
      to[static_cast<std::size_t>(i * stride)] = from[static_cast<std::size_t>(i * stride)];
    }
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

// ---- a struct with gaps -------------------------------------------------------------------------

struct Particle {
  double place[3];
  int kind;  // a gap follows
  double speed[3];
  char flag;  // and here
};
constexpr MPI_Count kParticleBytes = 24 + 4 + 24 + 1;

Ref<Datatype> particle() {
  static Rank rank(0);
  Rank::enter(&rank);  // handles are a rank's
  const int lengths[] = {3, 1, 3, 1};
  const MPI_Aint places[] = {offsetof(Particle, place), offsetof(Particle, kind),
                             offsetof(Particle, speed), offsetof(Particle, flag)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR};
  Datatype* made = nullptr;
  if (make_struct(false, 4, CountArray(lengths), CountArray(places), types, &made)) std::abort();
  return Ref<Datatype>::adopt(made);
}

void pack_struct(benchmark::State& state) {
  const MPI_Count count = state.range(0) / kParticleBytes;
  const Ref<Datatype> type = particle();
  std::vector<Particle> from(static_cast<std::size_t>(count));
  std::vector<char> to(static_cast<std::size_t>(count * kParticleBytes));
  for (auto _ : state) {
    pack({from.data(), count, type.get()}, 0, to.data(), count * kParticleBytes);
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * kParticleBytes);
}

void pack_struct_by_hand(benchmark::State& state) {
  const MPI_Count count = state.range(0) / kParticleBytes;
  std::vector<Particle> from(static_cast<std::size_t>(count));
  std::vector<char> to(static_cast<std::size_t>(count * kParticleBytes));
  for (auto _ : state) {
    char* out = to.data();
    for (const Particle& each : from) {
      std::memcpy(out, each.place, 24);
      std::memcpy(out + 24, &each.kind, 4);
      std::memcpy(out + 28, each.speed, 24);
      out[52] = each.flag;
      out += kParticleBytes;
    }
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * kParticleBytes);
}

// ---- doubles at random places -------------------------------------------------------------------

std::vector<int> random_places(MPI_Count count) {
  std::mt19937 random(3);
  std::vector<int> places;
  for (int at = 0; places.size() < static_cast<std::size_t>(count); at += 1 + random() % 3) {
    places.push_back(at);
  }
  return places;
}

void pack_indexed(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8;
  const std::vector<int> places = random_places(count);
  Datatype* made = nullptr;
  if (make_indexed_block(false, count, 1, CountArray(places.data()), &named(MPI_DOUBLE), &made)) {
    std::abort();
  }
  const Ref<Datatype> type = Ref<Datatype>::adopt(made);
  std::vector<double> from(static_cast<std::size_t>(places.back()) + 1, 1.0);
  std::vector<double> to(static_cast<std::size_t>(count));
  for (auto _ : state) {
    pack({from.data(), 1, type.get()}, 0, to.data(), count * 8);
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

void pack_indexed_by_hand(benchmark::State& state) {
  const MPI_Count count = state.range(0) / 8;
  const std::vector<int> places = random_places(count);
  std::vector<double> from(static_cast<std::size_t>(places.back()) + 1, 1.0);
  std::vector<double> to(static_cast<std::size_t>(count));
  for (auto _ : state) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = from[static_cast<std::size_t>(places[i])];
    }
    benchmark::ClobberMemory();
  }
  note_bytes(state, count * 8);
}

// ---- from the middle ----------------------------------------------------------------------------

// The price of getting to a position: one double out of a large type.
void pack_one_from_the_middle(benchmark::State& state) {
  const MPI_Count count = 1 << 17;
  const std::vector<int> places = random_places(count);
  std::vector<int> lengths(places.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = 1 + static_cast<int>(i % 2);
  Datatype* made = nullptr;
  if (make_indexed(false, count, CountArray(lengths.data()), CountArray(places.data()),
                   &named(MPI_DOUBLE), &made)) {
    std::abort();
  }
  const Ref<Datatype> type = Ref<Datatype>::adopt(made);
  std::vector<double> from(static_cast<std::size_t>(places.back()) + 2, 1.0);
  double to = 0;
  MPI_Count skip = 0;
  for (auto _ : state) {
    skip = (skip + 8 * 7919) % (type->size() - 8);
    pack({from.data(), 1, type.get()}, skip, &to, 8);
    benchmark::ClobberMemory();
  }
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (int bytes : {32 << 10, 1 << 20}) {
    for (int stride : {2, 16}) bench->Args({bytes, stride});
  }
}
BENCHMARK(pack_column)->Apply(sizes);
BENCHMARK(pack_column_by_hand)->Apply(sizes);
BENCHMARK(unpack_column)->Apply(sizes);
BENCHMARK(unpack_column_by_hand)->Apply(sizes);
BENCHMARK(copy_column)->Apply(sizes);
BENCHMARK(copy_column_by_hand)->Apply(sizes);
BENCHMARK(pack_struct)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(pack_struct_by_hand)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(pack_indexed)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(pack_indexed_by_hand)->Arg(32 << 10)->Arg(1 << 20);
BENCHMARK(pack_one_from_the_middle);

}  // namespace
}  // namespace heddle::datatype
