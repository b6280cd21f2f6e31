// The blocking collectives of a program made of others: so the tests of the blocking ones are tests of
// the nonblocking and the persistent ones as well.
//
//   HEDDLE_TEST_COLLECTIVES   MPI_Bcast is
//   nonblocking               MPI_Ibcast, MPI_Wait
//   persistent                MPI_Bcast_init, MPI_Start, MPI_Wait, MPI_Request_free
//
// Arrays of counts, displacements and datatypes are overwritten before MPI_Start or MPI_Wait: the library has copies.

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

bool persistent() {
  static const bool chosen = [] {
    const char* value = std::getenv("HEDDLE_TEST_COLLECTIVES");
    return value != nullptr && std::string_view(value) == "persistent";
  }();
  return chosen;
}

// An array that exists only while the call that takes it lasts.
template <class T>
class Passing {
 public:
  // `size`: 0 if the call does not look at the array.
  Passing(const T* array, int size) : array_(array) {
    if (array != nullptr) copy_.assign(array, array + size);
  }

  const T* given() const { return copy_.empty() ? array_ : copy_.data(); }
  void overwrite() {
    if (!copy_.empty()) std::memset(copy_.data(), 0x91, copy_.size() * sizeof(T));
  }

 private:
  const T* const array_;
  std::vector<T> copy_;
};

template <class T>
T given(T argument) {
  return argument;
}
template <class T>
const T* given(const Passing<T>& array) {
  return array.given();
}
template <class T>
void overwrite(T&) {}
template <class T>
void overwrite(Passing<T>& array) {
  array.overwrite();
}

template <class Start, class Init, class... Arguments>
int carry_out(Start start, Init init, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (!persistent()) {
    const int error = start(given(arguments)..., &request);
    (overwrite(arguments), ...);
    return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int error = init(given(arguments)..., MPI_INFO_NULL, &request);
  (overwrite(arguments), ...);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Start(&request);
  if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return error;
}

int is_inter(MPI_Comm comm) {
  int inter = 0;
  MPI_Comm_test_inter(comm, &inter);
  return inter;
}

int members(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int peers(MPI_Comm comm) {
  if (!is_inter(comm)) return members(comm);
  int size = 0;
  MPI_Comm_remote_size(comm, &size);
  return size;
}

int peers_at_root(MPI_Comm comm, int root) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return root == (is_inter(comm) ? MPI_ROOT : rank) ? peers(comm) : 0;
}

int peers_unless_in_place(MPI_Comm comm, const void* out) {
  return out == MPI_IN_PLACE ? 0 : peers(comm);
}

// How many neighbors the calling rank receives from, and sends to.
struct Degrees {
  explicit Degrees(MPI_Comm comm) {
    int topology = MPI_UNDEFINED, rank = 0, weighted = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Topo_test(comm, &topology);
    if (topology == MPI_DIST_GRAPH) {
      MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    } else if (topology == MPI_CART) {
      MPI_Cartdim_get(comm, &in);
      in = out = 2 * in;
    } else if (topology == MPI_GRAPH) {
      MPI_Graph_neighbors_count(comm, rank, &in);
      out = in;
    }
  }

  int in = 0, out = 0;
};

}  // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  return carry_out(MPI_Ibarrier, MPI_Barrier_init, comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return carry_out(MPI_Ibcast, MPI_Bcast_init, buffer, count, type, root, comm);
}

int MPI_Gather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
               MPI_Datatype in_type, int root, MPI_Comm comm) {
  return carry_out(MPI_Igather, MPI_Gather_init, out, out_count, out_type, in, in_count, in_type,
                   root, comm);
}

int MPI_Gatherv(const void* out, int out_count, MPI_Datatype out_type, void* in,
                const int in_counts[], const int displacements[], MPI_Datatype in_type, int root,
                MPI_Comm comm) {
  return carry_out(MPI_Igatherv, MPI_Gatherv_init, out, out_count, out_type, in,
                   Passing(in_counts, peers_at_root(comm, root)),
                   Passing(displacements, peers_at_root(comm, root)), in_type, root, comm);
}

int MPI_Scatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                MPI_Datatype in_type, int root, MPI_Comm comm) {
  return carry_out(MPI_Iscatter, MPI_Scatter_init, out, out_count, out_type, in, in_count, in_type,
                   root, comm);
}

int MPI_Scatterv(const void* out, const int out_counts[], const int displacements[],
                 MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
                 MPI_Comm comm) {
  return carry_out(MPI_Iscatterv, MPI_Scatterv_init, out,
                   Passing(out_counts, peers_at_root(comm, root)),
                   Passing(displacements, peers_at_root(comm, root)), out_type, in, in_count,
                   in_type, root, comm);
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Iallgather, MPI_Allgather_init, out, out_count, out_type, in, in_count,
                   in_type, comm);
}

int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in,
                   const int in_counts[], const int displacements[], MPI_Datatype in_type,
                   MPI_Comm comm) {
  return carry_out(MPI_Iallgatherv, MPI_Allgatherv_init, out, out_count, out_type, in,
                   Passing(in_counts, peers(comm)), Passing(displacements, peers(comm)), in_type,
                   comm);
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ialltoall, MPI_Alltoall_init, out, out_count, out_type, in, in_count,
                   in_type, comm);
}

int MPI_Alltoallv(const void* out, const int out_counts[], const int out_displacements[],
                  MPI_Datatype out_type, void* in, const int in_counts[],
                  const int in_displacements[], MPI_Datatype in_type, MPI_Comm comm) {
  const int sent = peers_unless_in_place(comm, out), received = peers(comm);
  return carry_out(MPI_Ialltoallv, MPI_Alltoallv_init, out, Passing(out_counts, sent),
                   Passing(out_displacements, sent), out_type, in, Passing(in_counts, received),
                   Passing(in_displacements, received), in_type, comm);
}

int MPI_Alltoallw(const void* out, const int out_counts[], const int out_displacements[],
                  const MPI_Datatype out_types[], void* in, const int in_counts[],
                  const int in_displacements[], const MPI_Datatype in_types[], MPI_Comm comm) {
  const int sent = peers_unless_in_place(comm, out), received = peers(comm);
  return carry_out(MPI_Ialltoallw, MPI_Alltoallw_init, out, Passing(out_counts, sent),
                   Passing(out_displacements, sent), Passing(out_types, sent), in,
                   Passing(in_counts, received), Passing(in_displacements, received),
                   Passing(in_types, received), comm);
}

int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  return carry_out(MPI_Ireduce, MPI_Reduce_init, out, in, count, type, op, root, comm);
}

int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return carry_out(MPI_Iallreduce, MPI_Allreduce_init, out, in, count, type, op, comm);
}

int MPI_Reduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return carry_out(MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, out, in, count, type,
                   op, comm);
}

int MPI_Reduce_scatter(const void* out, void* in, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  return carry_out(MPI_Ireduce_scatter, MPI_Reduce_scatter_init, out, in,
                   Passing(counts, members(comm)), type, op, comm);
}

int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return carry_out(MPI_Iscan, MPI_Scan_init, out, in, count, type, op, comm);
}

int MPI_Exscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return carry_out(MPI_Iexscan, MPI_Exscan_init, out, in, count, type, op, comm);
}

int MPI_Neighbor_allgather(const void* out, int out_count, MPI_Datatype out_type, void* in,
                           int in_count, MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, out, out_count, out_type,
                   in, in_count, in_type, comm);
}

int MPI_Neighbor_allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in,
                            const int in_counts[], const int displacements[], MPI_Datatype in_type,
                            MPI_Comm comm) {
  const Degrees degrees(comm);
  return carry_out(MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, out, out_count, out_type,
                   in, Passing(in_counts, degrees.in), Passing(displacements, degrees.in), in_type,
                   comm);
}

int MPI_Neighbor_alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in,
                          int in_count, MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, out, out_count, out_type, in,
                   in_count, in_type, comm);
}

int MPI_Neighbor_alltoallv(const void* out, const int out_counts[], const int out_displacements[],
                           MPI_Datatype out_type, void* in, const int in_counts[],
                           const int in_displacements[], MPI_Datatype in_type, MPI_Comm comm) {
  const Degrees degrees(comm);
  return carry_out(MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out,
                   Passing(out_counts, degrees.out), Passing(out_displacements, degrees.out),
                   out_type, in, Passing(in_counts, degrees.in),
                   Passing(in_displacements, degrees.in), in_type, comm);
}

int MPI_Neighbor_alltoallw(const void* out, const int out_counts[],
                           const MPI_Aint out_displacements[], const MPI_Datatype out_types[],
                           void* in, const int in_counts[], const MPI_Aint in_displacements[],
                           const MPI_Datatype in_types[], MPI_Comm comm) {
  const Degrees degrees(comm);
  return carry_out(MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out,
                   Passing(out_counts, degrees.out), Passing(out_displacements, degrees.out),
                   Passing(out_types, degrees.out), in, Passing(in_counts, degrees.in),
                   Passing(in_displacements, degrees.in), Passing(in_types, degrees.in), comm);
}

}  // extern "C"
