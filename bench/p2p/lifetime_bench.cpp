// What the lifetimes of objects cost, through the C API, under the policy that HEDDLE_LIFETIME
// names: messages by what they refer to, making and freeing of objects, and collector cycles.
//
//   for p in atomic predefined collector none; do HEDDLE_LIFETIME=$p lifetime_bench; done

#include <vector>

#include "bench/p2p/on_ranks.h"

namespace {

using heddle::bench::time_on_ranks;

constexpr int kWindow = 64;

// One rank sends to itself: receives are posted first, so each message is one irecv and one isend.
void window(MPI_Comm comm, MPI_Datatype type, long iterations) {
  int in[kWindow], out[kWindow] = {};
  MPI_Request requests[2 * kWindow];
  for (long i = 0; i < iterations / kWindow + 1; ++i) {
    for (int j = 0; j < kWindow; ++j) MPI_Irecv(&in[j], 1, type, 0, 0, comm, &requests[j]);
    for (int j = 0; j < kWindow; ++j) {
      MPI_Isend(&out[j], 1, type, 0, 0, comm, &requests[kWindow + j]);
    }
    MPI_Waitall(2 * kWindow, requests, MPI_STATUSES_IGNORE);
  }
}

void predefined_objects(int, int, long iterations, int) {
  window(MPI_COMM_WORLD, MPI_INT, iterations);
}

void derived_objects(int, int, long iterations, int) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  window(comm, type, iterations);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

void comm_dup_and_free(int, int, long iterations, int) {
  for (long i = 0; i < iterations; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_free(&comm);
  }
}

// While as many receives are pending as the argument says.
void type_make_and_free(int, int, long iterations, int pending) {
  std::vector<MPI_Request> receives(static_cast<std::size_t>(pending));
  for (MPI_Request& request : receives) {
    MPI_Irecv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  }
  for (long i = 0; i < iterations; ++i) {
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_free(&type);
  }
  for (MPI_Request& request : receives) MPI_Cancel(&request);
  MPI_Waitall(pending, receives.data(), MPI_STATUSES_IGNORE);
}

template <heddle::bench::Body body>
void on_one_rank(benchmark::State& state) {
  time_on_ranks(state, 1, 1, body, static_cast<int>(state.range(0)), 100000, 1);
}

}  // namespace

BENCHMARK(on_one_rank<predefined_objects>)->Arg(0)->UseManualTime()->Iterations(3);
BENCHMARK(on_one_rank<derived_objects>)->Arg(0)->UseManualTime()->Iterations(3);
BENCHMARK(on_one_rank<comm_dup_and_free>)->Arg(0)->UseManualTime()->Iterations(3);
BENCHMARK(on_one_rank<type_make_and_free>)
    ->Arg(0)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->UseManualTime()
    ->Iterations(3);
