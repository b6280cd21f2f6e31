// topo_query.h — what a communicator tells about its virtual topology (MPI 5.0 §8.5.5, §8.5.6).
//
// A function for one shape fails with MPI_ERR_TOPOLOGY where the communicator has another one or
// none. Arrays that the caller gives must have room for all, but those of dist_graph_neighbors get
// as much as they have room for.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/topo/cartesian.h"

namespace heddle::topo_make {

using comm::Comm;

// MPI_UNDEFINED: none.
Error get_topology_kind(const Comm& comm, int* kind);

Error get_cart_dimensions(const Comm& comm, int* dimensions);
Error get_cart(const Comm& comm, int room, int* sizes, int* periods, int* coordinates);
Error get_cart_rank(const Comm& comm, const int* coordinates, int* rank);
Error get_cart_coordinates(const Comm& comm, int rank, int room, int* coordinates);
Error get_cart_shift(const Comm& comm, int dimension, int steps, int* source, int* destination);

Error get_graph_dimensions(const Comm& comm, int* ranks, int* edges);
Error get_graph(const Comm& comm, int index_room, int edges_room, int* index, int* edges);
Error get_graph_degree(const Comm& comm, int rank, int* degree);
Error get_graph_neighbors(const Comm& comm, int rank, int room, int* neighbors);

// How many edges come in and go out, and whether they have weights.
Error get_dist_graph_degrees(const Comm& comm, int* in, int* out, int* weighted);

// Where one direction of a rank's edges goes.
struct EdgesRoom {
  int size;
  int* ranks;
  int* weights;  // or MPI_UNWEIGHTED
};
Error get_dist_graph_neighbors(const Comm& comm, const EdgesRoom& in, const EdgesRoom& out);

// The grid; null, with an error, if the topology is none.
Error find_cart(const Comm& comm, const topo::Cartesian** out);

// For checks of arguments: 0 where the topology is another one or none.
int cart_dimensions(const Comm& comm) noexcept;
int blocks_in(const Comm& comm) noexcept;
int blocks_out(const Comm& comm) noexcept;

}  // namespace heddle::topo_make
