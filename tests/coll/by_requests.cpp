// The blocking collectives of a program made of others: so the tests of the blocking ones are tests of
// the nonblocking and the persistent ones as well.
//
//   HEDDLE_TEST_COLLECTIVES   MPI_Bcast is
//   nonblocking               MPI_Ibcast, MPI_Wait
//   persistent                MPI_Bcast_init, MPI_Start, MPI_Wait, MPI_Request_free

#include <mpi.h>

#include <cstdlib>
#include <string_view>

namespace {

bool persistent() {
  static const bool chosen = [] {
    const char* value = std::getenv("HEDDLE_TEST_COLLECTIVES");
    return value != nullptr && std::string_view(value) == "persistent";
  }();
  return chosen;
}

template <class Start, class Init, class... Arguments>
int carry_out(Start start, Init init, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (!persistent()) {
    const int error = start(arguments..., &request);
    return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int error = init(arguments..., MPI_INFO_NULL, &request);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Start(&request);
  if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  return error;
}

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
  return carry_out(MPI_Igatherv, MPI_Gatherv_init, out, out_count, out_type, in, in_counts,
                   displacements, in_type, root, comm);
}

int MPI_Scatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                MPI_Datatype in_type, int root, MPI_Comm comm) {
  return carry_out(MPI_Iscatter, MPI_Scatter_init, out, out_count, out_type, in, in_count, in_type,
                   root, comm);
}

int MPI_Scatterv(const void* out, const int out_counts[], const int displacements[],
                 MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
                 MPI_Comm comm) {
  return carry_out(MPI_Iscatterv, MPI_Scatterv_init, out, out_counts, displacements, out_type, in,
                   in_count, in_type, root, comm);
}

int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Iallgather, MPI_Allgather_init, out, out_count, out_type, in, in_count,
                   in_type, comm);
}

int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in,
                   const int in_counts[], const int displacements[], MPI_Datatype in_type,
                   MPI_Comm comm) {
  return carry_out(MPI_Iallgatherv, MPI_Allgatherv_init, out, out_count, out_type, in, in_counts,
                   displacements, in_type, comm);
}

int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ialltoall, MPI_Alltoall_init, out, out_count, out_type, in, in_count,
                   in_type, comm);
}

int MPI_Alltoallv(const void* out, const int out_counts[], const int out_displacements[],
                  MPI_Datatype out_type, void* in, const int in_counts[],
                  const int in_displacements[], MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ialltoallv, MPI_Alltoallv_init, out, out_counts, out_displacements, out_type,
                   in, in_counts, in_displacements, in_type, comm);
}

int MPI_Alltoallw(const void* out, const int out_counts[], const int out_displacements[],
                  const MPI_Datatype out_types[], void* in, const int in_counts[],
                  const int in_displacements[], const MPI_Datatype in_types[], MPI_Comm comm) {
  return carry_out(MPI_Ialltoallw, MPI_Alltoallw_init, out, out_counts, out_displacements,
                   out_types, in, in_counts, in_displacements, in_types, comm);
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
  return carry_out(MPI_Ireduce_scatter, MPI_Reduce_scatter_init, out, in, counts, type, op, comm);
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
  return carry_out(MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, out, out_count, out_type,
                   in, in_counts, displacements, in_type, comm);
}

int MPI_Neighbor_alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in,
                          int in_count, MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, out, out_count, out_type, in,
                   in_count, in_type, comm);
}

int MPI_Neighbor_alltoallv(const void* out, const int out_counts[], const int out_displacements[],
                           MPI_Datatype out_type, void* in, const int in_counts[],
                           const int in_displacements[], MPI_Datatype in_type, MPI_Comm comm) {
  return carry_out(MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out, out_counts,
                   out_displacements, out_type, in, in_counts, in_displacements, in_type, comm);
}

int MPI_Neighbor_alltoallw(const void* out, const int out_counts[],
                           const MPI_Aint out_displacements[], const MPI_Datatype out_types[],
                           void* in, const int in_counts[], const MPI_Aint in_displacements[],
                           const MPI_Datatype in_types[], MPI_Comm comm) {
  return carry_out(MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out, out_counts,
                   out_displacements, out_types, in, in_counts, in_displacements, in_types, comm);
}

}  // extern "C"
