#include "tests/random/neighborhood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/support/ranks_test.h"

namespace heddle::testing {

namespace {

using Origin = Neighborhood::Origin;

void shuffle(Ranks& all, Dice& dice) {
  for (std::size_t i = all.size(); i > 1; --i) {
    std::swap(all[i - 1], all[static_cast<std::size_t>(dice.below(static_cast<int>(i)))]);
  }
}

// Where what comes from `sources` comes from.
std::vector<Origin> origins(const std::vector<Ranks>& out, const Ranks& sources, int me) {
  std::vector<Origin> all;
  std::vector<int> seen(out.size());
  for (const int source : sources) {
    const Ranks& theirs = out[static_cast<std::size_t>(source)];
    int skip = seen[static_cast<std::size_t>(source)]++;
    int block = 0;
    while (theirs[static_cast<std::size_t>(block)] != me || skip-- > 0) ++block;
    all.push_back({source, block});
  }
  return all;
}

// A grid of some of the ranks, the last coordinate varying fastest.
void make_grid(MPI_Comm world, int size, int me, Dice& dice, Neighborhood& made) {
  Ranks sizes, periods;
  int cells = 1;
  for (int i = dice.below(3) + 1; i > 0; --i) {
    sizes.push_back(dice.below(size / cells) + 1);
    periods.push_back(dice.below(2));
    cells *= sizes.back();
  }
  const auto dimensions = static_cast<int>(sizes.size());
  MPI_Cart_create(world, dimensions, sizes.data(), periods.data(), 0, &made.comm);
  for (int cell = 0; cell < cells; ++cell) {
    Ranks& out = made.out.emplace_back();
    int below = cells;  // cells of a step in the dimension, times its size
    for (int i = 0; i < dimensions; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int step = below / sizes[at], place = cell / step % sizes[at];
      below = step;
      for (const int way : {-1, 1}) {
        int next = place + way;
        if (periods[at] != 0) next = (next + sizes[at]) % sizes[at];
        const bool outside = next < 0 || next >= sizes[at];
        out.push_back(outside ? MPI_PROC_NULL : cell + (next - place) * step);
      }
    }
    if (cell != me) continue;
    for (int block = 0; block < 2 * dimensions; ++block) {
      const int from = out[static_cast<std::size_t>(block)];
      made.in.push_back({from, block ^ 1});
    }
  }
}

// Edges in both directions, some several times.
void make_graph(MPI_Comm world, int size, int me, Dice& dice, Neighborhood& made) {
  const int nodes = dice.below(size) + 1;
  made.out.resize(static_cast<std::size_t>(nodes));
  for (int i = dice.below(3 * nodes); i > 0; --i) {
    const int a = dice.below(nodes), b = dice.below(nodes);
    made.out[static_cast<std::size_t>(a)].push_back(b);
    if (a != b) made.out[static_cast<std::size_t>(b)].push_back(a);
  }
  Ranks index, edges;
  for (Ranks& out : made.out) {
    shuffle(out, dice);
    edges.insert(edges.end(), out.begin(), out.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Graph_create(world, nodes, index.data(), edges.data(), 0, &made.comm);
  if (me < nodes) made.in = origins(made.out, made.out[static_cast<std::size_t>(me)], me);
}

// Each rank says its own edges.
void make_adjacent(MPI_Comm world, int size, int me, Dice& dice, Neighborhood& made) {
  std::vector<Ranks> in(static_cast<std::size_t>(size));
  made.out.resize(in.size());
  for (int i = dice.below(4 * size); i > 0; --i) {
    const int from = dice.below(size), to = dice.below(size);
    made.out[static_cast<std::size_t>(from)].push_back(to);
    in[static_cast<std::size_t>(to)].push_back(from);
  }
  for (Ranks& sources : in) shuffle(sources, dice);
  const Ranks &mine = in[static_cast<std::size_t>(me)],
              &to = made.out[static_cast<std::size_t>(me)];
  MPI_Dist_graph_create_adjacent(world, static_cast<int>(mine.size()), mine.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made.comm);
  made.in = origins(made.out, mine, me);
}

// Each rank says edges of any. In which order a rank has its own then, only MPI knows.
void make_distributed(MPI_Comm world, int size, int me, Dice& dice, Neighborhood& made) {
  Ranks sources, degrees, destinations, out, in;
  for (int i = dice.below(4 * size); i > 0; --i) {
    const int from = dice.below(size), to = dice.below(size), said_by = dice.below(size);
    if (from == me) out.push_back(to);
    if (to == me) in.push_back(from);
    if (said_by != me) continue;
    sources.push_back(from);
    degrees.push_back(1);
    destinations.push_back(to);
  }
  MPI_Dist_graph_create(world, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                        destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  Ranks their_in(in.size()), their_out(out.size());
  MPI_Dist_graph_neighbors(made.comm, static_cast<int>(in.size()), their_in.data(), MPI_UNWEIGHTED,
                           static_cast<int>(out.size()), their_out.data(), MPI_UNWEIGHTED);
  EXPECT_TRUE(std::is_permutation(in.begin(), in.end(), their_in.begin(), their_in.end()));
  EXPECT_TRUE(std::is_permutation(out.begin(), out.end(), their_out.begin(), their_out.end()));
  // All must know all.
  const auto mine = static_cast<int>(their_out.size());
  Ranks counts(static_cast<std::size_t>(size)), begins(counts.size());
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  Ranks all(static_cast<std::size_t>(begins.back() + counts.back()));
  MPI_Allgatherv(their_out.data(), mine, MPI_INT, all.data(), counts.data(), begins.data(), MPI_INT,
                 world);
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto begin = all.begin() + begins[rank];
    made.out.emplace_back(begin, begin + counts[rank]);
  }
  made.in = origins(made.out, their_in, me);
}

}  // namespace

Neighborhood random_neighborhood(MPI_Comm world, Dice& dice) {
  int size = 0, me = -1;
  MPI_Comm_size(world, &size);
  MPI_Comm_rank(world, &me);
  using Make = void (*)(MPI_Comm, int, int, Dice&, Neighborhood&);
  static constexpr std::pair<const char*, Make> kWays[] = {{"grid", make_grid},
                                                           {"graph", make_graph},
                                                           {"adjacent edges", make_adjacent},
                                                           {"distributed edges", make_distributed}};
  const auto& [name, make] = kWays[dice.below(std::size(kWays))];
  Neighborhood made;
  made.name = name;
  made.rank = me;
  make(world, size, me, dice, made);
  EXPECT_EQ(made.comm != MPI_COMM_NULL, me < static_cast<int>(made.out.size()));
  if (made.comm != MPI_COMM_NULL) MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN);
  return made;
}

NeighborOperation::NeighborOperation(const Neighborhood& at, unsigned long number, Dice& dice,
                                     Dice& local)
    : at_(at),
      number_(number),
      kind_(static_cast<Kind>(dice.below(static_cast<int>(Kind::kKinds)))),
      way_(static_cast<Way>(dice.below(3))),
      basic_(kBasics[dice.below(std::size(kBasics))]),
      unit_([&] {
        constexpr int kUnits[] = {0, 2, 2, 8, 8, 30, 30, 200, 2000, 12000};
        return kUnits[dice.below(std::size(kUnits))];
      }()) {
  const Ranks& to = at_.out[static_cast<std::size_t>(at_.rank)];
  Ranks out_words, in_words;
  for (std::size_t block = 0; block < (gathers() ? 1 : to.size()); ++block) {
    out_words.push_back(words(at_.rank, static_cast<int>(block)));
  }
  for (const Origin& from : at_.in) {
    in_words.push_back(words(from.rank, gathers() ? 0 : from.block));
  }
  const Form& out_form = kForms[local.below(std::size(kForms))];
  const Form& in_form = kForms[local.below(std::size(kForms))];
  out_blocks_ = std::make_unique<Blocks>(out_words, out_form, regular());
  in_blocks_ = std::make_unique<Blocks>(in_words, in_form, regular());
  out_ = std::make_unique<Buffer>(basic_, out_form, out_blocks_->extent);
  in_ = std::make_unique<Buffer>(basic_, in_form, in_blocks_->extent);
  for (const int place : out_blocks_->displacements) out_bytes_.push_back(place * out_->extent());
  for (const int place : in_blocks_->displacements) in_bytes_.push_back(place * in_->extent());
  out_types_.assign(out_bytes_.size(), out_->type());
  in_types_.assign(in_bytes_.size(), in_->type());
}

NeighborOperation::~NeighborOperation() {
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

// Nothing comes over the border of a grid, but there is room for it.
int NeighborOperation::words(int rank, int block) const {
  if (regular() || rank == MPI_PROC_NULL) return unit_;
  return static_cast<int>(mix(static_cast<unsigned>(rank), static_cast<unsigned>(block)) % 3) *
         unit_ / 2 * 2;
}

long NeighborOperation::value(int rank, int block, int i) const {
  const std::uint64_t which = mix(number_ * 64 + salt_, static_cast<unsigned>(rank * 1000 + block));
  return static_cast<long>(mix(which, static_cast<unsigned>(i)) % 30000);
}

void NeighborOperation::call() {
  ++salt_;
  for (std::size_t block = 0; block < out_blocks_->words.size(); ++block) {
    for (int i = 0; i < out_blocks_->words[block]; ++i) {
      out_->put(out_blocks_->displacements[block], i, value(at_.rank, static_cast<int>(block), i));
    }
  }
  for (std::size_t block = 0; block < in_blocks_->words.size(); ++block) {
    const Origin& from = at_.in[block];
    if (from.rank == MPI_PROC_NULL) continue;
    for (int i = 0; i < in_blocks_->words[block]; ++i) {
      in_->expect(in_blocks_->displacements[block], i,
                  value(from.rank, gathers() ? 0 : from.block, i));
    }
  }
  EXPECT_EQ(perform_it(), MPI_SUCCESS) << describe();
}

int NeighborOperation::perform_it() {
  const void* const out = out_->data();
  void* const in = in_->data();
  const MPI_Datatype out_type = out_->type(), in_type = in_->type();
  const int out_count = unit_ / out_->form().words(), in_count = unit_ / in_->form().words();
  const Ranks &outs = out_blocks_->counts, &ins = in_blocks_->counts;
  const int *out_at = out_blocks_->displacements.data(), *in_at = in_blocks_->displacements.data();
  switch (kind_) {
    case Kind::kAllgather:
      return perform_as(way_, at_.comm, &request, MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
                        MPI_Neighbor_allgather_init, out, out_count, out_type, in, in_count,
                        in_type);
    case Kind::kAllgatherv:
      return perform_as(way_, at_.comm, &request, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
                        MPI_Neighbor_allgatherv_init, out, outs[0], out_type, in, ins.data(), in_at,
                        in_type);
    case Kind::kAlltoall:
      return perform_as(way_, at_.comm, &request, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
                        MPI_Neighbor_alltoall_init, out, out_count, out_type, in, in_count,
                        in_type);
    case Kind::kAlltoallv:
      return perform_as(way_, at_.comm, &request, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
                        MPI_Neighbor_alltoallv_init, out, outs.data(), out_at, out_type, in,
                        ins.data(), in_at, in_type);
    default:
      return perform_as(way_, at_.comm, &request, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
                        MPI_Neighbor_alltoallw_init, out, outs.data(), out_bytes_.data(),
                        out_types_.data(), in, ins.data(), in_bytes_.data(), in_types_.data());
  }
}

void NeighborOperation::check() {
  EXPECT_TRUE(out_->matches()) << "what was sent has changed: " << describe();
  EXPECT_TRUE(in_->matches()) << describe();
}

std::string NeighborOperation::describe() const {
  static constexpr const char* kKinds[] = {"allgather", "allgatherv", "alltoall", "alltoallv",
                                           "alltoallw"};
  static constexpr const char* kWays[] = {"blocking", "nonblocking", "persistent"};
  return "operation " + std::to_string(number_) + ", " + kWays[static_cast<int>(way_)] + " " +
         kKinds[static_cast<int>(kind_)] + " of " + std::to_string(unit_) + " words of " +
         std::to_string(basic_.size) + " bytes, " + at_.name + ", " +
         std::to_string(at_.in.size()) + " blocks in, " +
         std::to_string(at_.out[static_cast<std::size_t>(at_.rank)].size()) + " out, rank " +
         std::to_string(at_.rank) + ", round " + std::to_string(salt_) + ", seed " +
         std::to_string(seed());
}

}  // namespace heddle::testing
