// topo_make.h — how communicators with a virtual topology are made (MPI 5.0 §8.5).
//
//   call                         members of the new communicator       what the ranks tell each
//                                                                      other
//   ---------------------------  ------------------------------------  ----------------------------
//   cart_create, graph_create    the first ranks of the parent         a context id
//   cart_sub                     the ranks of one part of the grid     as in MPI_Comm_split
//   dist_graph_create_adjacent   all                                   a context id
//   dist_graph_create            all                                   each edge to both of its
//                                                                      ends
//
// Ranks keep their order, with `reorder` or without
// (docs/decisions/0060-topologies-keep-the-order.md): so it is no parameter here.
//
// Those that make communicators are collective over the parent, which must be no intercommunicator,
// and may switch. `*out` stays null where the calling rank is no member.
//
// Thread safety: any strand; on one parent one call at a time, as the standard asks.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::topo_make {

using comm::Comm;

Error cart_create(Comm& parent, int dimensions, const int* sizes, const int* periods, Comm** out);
// `keep` has a flag for each dimension.
Error cart_sub(Comm& parent, const int* keep, Comm** out);
// The rank that cart_create would give the caller; MPI_UNDEFINED for none.
Error cart_map(const Comm& parent, int dimensions, const int* sizes, const int* periods, int* rank);

Error graph_create(Comm& parent, int ranks, const int* index, const int* edges, Comm** out);
Error graph_map(const Comm& parent, int ranks, const int* index, const int* edges, int* rank);

// The caller's edges in one direction. `weights` may be MPI_UNWEIGHTED, then for both directions
// and at all ranks.
struct EdgesGiven {
  int count;
  const int* ranks;
  const int* weights;
};
Error dist_graph_create_adjacent(Comm& parent, const EdgesGiven& incoming,
                                 const EdgesGiven& outgoing, const info::Info* hints, Comm** out);

// Edges of any ranks: degrees[i] of them go out of sources[i].
struct AnyEdges {
  int count;  // of sources
  const int* sources;
  const int* degrees;
  const int* destinations;
  const int* weights;
};
Error dist_graph_create(Comm& parent, const AnyEdges& edges, const info::Info* hints, Comm** out);

// Fails for an intercommunicator.
Error need_intra(const Comm& parent);

}  // namespace heddle::topo_make
