// Grids (MPI 5.0 §8.5.1, §8.5.5, §8.5.6, §8.5.7).

#include "mpi/comm_make/comm_make.h"
#include "mpi/topo/of_comm.h"
#include "mpi/topo_make/topo_make.h"
#include "mpi/topo_make/topo_query.h"

namespace heddle::topo_make {

using topo::Cartesian;

namespace {

Error grid_in(const Comm& parent, int dimensions, const int* sizes, const int* periods,
              Cartesian* out) {
  if (Error e = need_intra(parent)) return e;
  return Cartesian::make(dimensions, sizes, periods, parent.size(), out);
}

}  // namespace

Error need_intra(const Comm& parent) {
  if (!parent.is_inter()) return {};
  return Error::make(MPI_ERR_COMM, "the communicator is %s, which is an intercommunicator",
                     comm::describe(parent).c_str());
}

Error cart_create(Comm& parent, int dimensions, const int* sizes, const int* periods, Comm** out) {
  Cartesian grid;
  if (Error e = grid_in(parent, dimensions, sizes, periods, &grid)) return e;
  if (Error e = comm_make::create_first(parent, grid.ranks(), out)) return e;
  if (*out == nullptr) return {};
  topo::give_topology(**out, std::move(grid), (*out)->rank());
  return {};
}

Error cart_sub(Comm& parent, const int* keep, Comm** out) {
  const Cartesian* grid = nullptr;
  if (Error e = find_cart(parent, &grid)) return e;
  const int rank = parent.rank();
  const int part = grid->place_in_part(rank, keep, false);
  const int place = grid->place_in_part(rank, keep, true);
  if (Error e = comm_make::split(parent, part, place, out)) return e;
  topo::give_topology(**out, grid->part(keep, true), place);
  return {};
}

Error cart_map(const Comm& parent, int dimensions, const int* sizes, const int* periods,
               int* rank) {
  Cartesian grid;
  if (Error e = grid_in(parent, dimensions, sizes, periods, &grid)) return e;
  *rank = parent.rank() < grid.ranks() ? parent.rank() : MPI_UNDEFINED;
  return {};
}

}  // namespace heddle::topo_make
