// Graphs of which each rank gives a part (MPI 5.0 §8.5.4).

#include <cstddef>
#include <numeric>
#include <vector>

#include "mpi/coll/coll.h"
#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/comm_make.h"
#include "mpi/datatype/datatype.h"
#include "mpi/topo/of_comm.h"
#include "mpi/topo_make/topo_make.h"

namespace heddle::topo_make {

using topo::DistGraph;

namespace {

// An edge as ranks send it to each other.
struct Edge {
  int source;
  int destination;
  int weight;
};

Error check_rank(const Comm& parent, const char* name, int index, int rank) {
  if (rank >= 0 && rank < parent.size()) return {};
  return Error::make(MPI_ERR_RANK, "argument %s[%d] is %d, but %s has %d ranks", name, index, rank,
                     comm::describe(parent).c_str(), parent.size());
}

// `count` weights, where there are any.
Error check_weights(const char* name, const int* weights, int count) {
  if (weights == MPI_UNWEIGHTED || count == 0) return {};
  if (weights == nullptr || weights == MPI_WEIGHTS_EMPTY) {
    return Error::make(MPI_ERR_ARG, "argument %s is %s, but %d weights are expected there", name,
                       weights == nullptr ? "a null pointer" : "MPI_WEIGHTS_EMPTY", count);
  }
  for (int i = 0; i < count; ++i) {
    if (weights[i] >= 0) continue;
    return Error::make(MPI_ERR_ARG, "argument %s[%d] is %d, but must not be negative", name, i,
                       weights[i]);
  }
  return {};
}

Error check(const Comm& parent, const char* ranks_name, const char* weights_name,
            const EdgesGiven& edges) {
  for (int i = 0; i < edges.count; ++i) {
    if (Error e = check_rank(parent, ranks_name, i, edges.ranks[i])) return e;
  }
  return check_weights(weights_name, edges.weights, edges.count);
}

DistGraph::Edges copied(const EdgesGiven& given) {
  DistGraph::Edges edges;
  edges.ranks.assign(given.ranks, given.ranks + given.count);
  if (given.weights != MPI_UNWEIGHTED && given.count > 0) {
    edges.weights.assign(given.weights, given.weights + given.count);
  }
  return edges;
}

Error make(Comm& parent, DistGraph graph, const info::Info* hints, Comm** out) {
  if (Error e = comm_make::create_first(parent, parent.size(), out)) return e;
  topo::give_topology(**out, std::move(graph), (*out)->rank());
  return hints != nullptr ? comm::set_hints(**out, hints) : Error();
}

// The edges that the caller gives, one by one.
Error list(const Comm& parent, const AnyEdges& given, std::vector<Edge>* out) {
  int next = 0;
  for (int i = 0; i < given.count; ++i) {
    if (Error e = check_rank(parent, "sources", i, given.sources[i])) return e;
    if (given.degrees[i] < 0) {
      return Error::make(MPI_ERR_ARG, "argument degrees[%d] is %d, but must not be negative", i,
                         given.degrees[i]);
    }
    for (const int end = next + given.degrees[i]; next < end; ++next) {
      if (Error e = check_rank(parent, "destinations", next, given.destinations[next])) return e;
      out->push_back({given.sources[i], given.destinations[next], 0});
    }
  }
  if (Error e = check_weights("weights", given.weights, next)) return e;
  if (given.weights == MPI_UNWEIGHTED) return {};
  for (std::size_t i = 0; i < out->size(); ++i) (*out)[i].weight = given.weights[i];
  return {};
}

// What goes to or comes from each rank: counts in ints, and where it begins.
struct PerRank {
  std::vector<MPI_Count> counts, begins;

  explicit PerRank(int ranks) : counts(static_cast<std::size_t>(ranks)), begins(counts) {}
  // Sets the beginnings by the counts; returns the sum.
  std::size_t lay_out() {
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), MPI_Count{0});
    return static_cast<std::size_t>(begins.back() + counts.back());
  }
  coll::Pieces of(const std::vector<Edge>& edges) const {
    return {edges.data(), object::CountArray(counts.data()), object::CountArray(begins.data()),
            &datatype::named(MPI_INT)};
  }
};
constexpr MPI_Count kInts = sizeof(Edge) / sizeof(int);

// Calls f(rank) for the ranks that must know of an edge: its ends.
template <class F>
void for_each_end(const Edge& edge, F f) {
  f(static_cast<std::size_t>(edge.source));
  if (edge.destination != edge.source) f(static_cast<std::size_t>(edge.destination));
}

// Each rank gets the edges that begin or end at it, by the rank that gave them and then in its
// order. So both ends of several edges between two ranks have these in the same order.
Error exchange(Comm& parent, const std::vector<Edge>& given, std::vector<Edge>* mine) {
  PerRank out(parent.size()), in(parent.size());
  for (const Edge& edge : given) {
    for_each_end(edge, [&](std::size_t rank) { out.counts[rank] += kInts; });
  }
  const datatype::Datatype& count_type = datatype::named(MPI_COUNT);
  if (Error e = coll::run(coll::Alltoall{
          {out.counts.data(), 1, &count_type}, {in.counts.data(), 1, &count_type}, parent})) {
    return e;
  }
  std::vector<Edge> sent(out.lay_out() / kInts);
  std::vector<MPI_Count> next = out.begins;
  for (const Edge& edge : given) {
    for_each_end(edge, [&](std::size_t rank) {
      sent[static_cast<std::size_t>(next[rank] / kInts)] = edge;
      next[rank] += kInts;
    });
  }
  mine->resize(in.lay_out() / kInts);
  return coll::run(coll::Alltoall{out.of(sent), in.of(*mine), parent});
}

void add(DistGraph::Edges& edges, int rank, int weight, bool weighted) {
  edges.ranks.push_back(rank);
  if (weighted) edges.weights.push_back(weight);
}

}  // namespace

Error dist_graph_create_adjacent(Comm& parent, const EdgesGiven& incoming,
                                 const EdgesGiven& outgoing, const info::Info* hints, Comm** out) {
  if (Error e = need_intra(parent)) return e;
  if (Error e = check(parent, "sources", "sourceweights", incoming)) return e;
  if (Error e = check(parent, "destinations", "destweights", outgoing)) return e;
  const bool weighted = incoming.weights != MPI_UNWEIGHTED;
  if (weighted != (outgoing.weights != MPI_UNWEIGHTED)) {
    return Error::make(MPI_ERR_ARG,
                       "only one of the arguments sourceweights and destweights is MPI_UNWEIGHTED");
  }
  return make(parent, {copied(incoming), copied(outgoing), weighted}, hints, out);
}

Error dist_graph_create(Comm& parent, const AnyEdges& edges, const info::Info* hints, Comm** out) {
  if (Error e = need_intra(parent)) return e;
  std::vector<Edge> given, mine;
  if (Error e = list(parent, edges, &given)) return e;
  if (Error e = exchange(parent, given, &mine)) return e;
  DistGraph graph;
  graph.weighted = edges.weights != MPI_UNWEIGHTED;
  for (const Edge& edge : mine) {
    if (edge.destination == parent.rank()) add(graph.in, edge.source, edge.weight, graph.weighted);
    if (edge.source == parent.rank()) {
      add(graph.out, edge.destination, edge.weight, graph.weighted);
    }
  }
  return make(parent, std::move(graph), hints, out);
}

}  // namespace heddle::topo_make
