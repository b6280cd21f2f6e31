#include "tests/random/communicators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace heddle::testing {

namespace {

int place_of(const Ranks& ranks, int rank) {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

}  // namespace

Communicators::Communicators(int world_rank, int world_size) : me_(world_rank) {
  Ranks world;
  for (int rank = 0; rank < world_size; ++rank) world.push_back(rank);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  add(comm, world);
}

Communicators::~Communicators() {
  finish_duplicates();
  for (auto& node : nodes_) {
    if (node->comm != MPI_COMM_NULL) MPI_Comm_free(&node->comm);
  }
}

void Communicators::add(MPI_Comm comm, Ranks group, Ranks remote) {
  auto node = std::make_unique<Node>();
  node->comm = comm;
  node->groups[0] = std::move(group);
  node->groups[1] = std::move(remote);
  for (const int side : {0, 1}) {
    if (const int place = place_of(node->groups[side], me_); place >= 0) {
      node->side = side;
      node->rank = place;
    }
  }
  EXPECT_EQ(comm != MPI_COMM_NULL, node->rank >= 0);
  if (comm != MPI_COMM_NULL) {
    int rank = -1, size = -1;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    EXPECT_EQ(rank, node->rank);
    EXPECT_EQ(size, static_cast<int>(node->own().size()));
  }
  nodes_.push_back(std::move(node));
}

void Communicators::grow(Dice& dice) {
  const Node parent = any(dice);
  const int how = dice.below(4);
  if (parent.is_inter()) {
    merge(parent, dice);
  } else if (how == 0 && parent.own().size() > 1) {
    connect(parent, dice);
  } else if (how == 1) {
    create(parent, dice);
  } else {
    split(parent, dice);
  }
}

void Communicators::shrink(Dice& dice) {
  const auto at = nodes_.begin() + dice.below(size());
  if (size() == 1) return;
  if ((*at)->comm != MPI_COMM_NULL) {
    EXPECT_EQ(MPI_Comm_free(&(*at)->comm), MPI_SUCCESS);
  }
  nodes_.erase(at);
}

void Communicators::begin_duplicate(Dice& dice) {
  const Node& parent = any(dice);
  Duplicate& made = *duplicates_.emplace_back(std::make_unique<Duplicate>());
  for (const int side : {0, 1}) made.groups[side] = parent.groups[side];
  if (parent.comm != MPI_COMM_NULL) {
    EXPECT_EQ(MPI_Comm_idup(parent.comm, &made.comm, &made.request), MPI_SUCCESS);
  }
}

// The last first: no order is promised between them.
void Communicators::finish_duplicates() {
  for (; !duplicates_.empty(); duplicates_.pop_back()) {
    Duplicate& made = *duplicates_.back();
    EXPECT_EQ(MPI_Wait(&made.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    add(made.comm, made.groups[0], made.groups[1]);
  }
}

std::vector<Node> Communicators::all() const {
  std::vector<Node> copies;
  for (const auto& node : nodes_) copies.push_back(*node);
  return copies;
}

void Communicators::split(const Node& parent, Dice& dice) {
  constexpr int kColors = 3;
  const int colors = dice.below(kColors) + 1;
  std::vector<std::pair<int, int>> groups[kColors];  // keys and ranks
  int my_color = MPI_UNDEFINED, my_key = 0;
  for (const int rank : parent.own()) {
    const int color = dice.below(8) == 0 ? MPI_UNDEFINED : dice.below(colors);
    const int key = dice.below(4);
    if (rank == me_) my_color = color, my_key = key;
    if (color != MPI_UNDEFINED) groups[color].emplace_back(key, rank);
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (parent.comm != MPI_COMM_NULL) MPI_Comm_split(parent.comm, my_color, my_key, &made);
  for (int color = 0; color < colors; ++color) {
    if (groups[color].empty()) continue;
    // By key; those with the same key keep their order.
    std::stable_sort(groups[color].begin(), groups[color].end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Ranks ranks;
    for (const auto& [key, rank] : groups[color]) ranks.push_back(rank);
    add(color == my_color ? made : MPI_COMM_NULL, ranks);
  }
}

void Communicators::create(const Node& parent, Dice& dice) {
  Ranks places;
  for (std::size_t i = 0; i < parent.own().size(); ++i) places.push_back(static_cast<int>(i));
  for (std::size_t i = places.size(); i > 1; --i) {
    std::swap(places[i - 1], places[static_cast<std::size_t>(dice.below(static_cast<int>(i)))]);
  }
  places.resize(static_cast<std::size_t>(dice.below(static_cast<int>(places.size())) + 1));
  const bool by_members = dice.toss();
  Ranks ranks;
  for (const int place : places) ranks.push_back(parent.own()[static_cast<std::size_t>(place)]);
  MPI_Comm made = MPI_COMM_NULL;
  if (parent.comm != MPI_COMM_NULL) {
    MPI_Group all = MPI_GROUP_NULL, chosen = MPI_GROUP_NULL;
    MPI_Comm_group(parent.comm, &all);
    MPI_Group_incl(all, static_cast<int>(places.size()), places.data(), &chosen);
    if (!by_members) {
      MPI_Comm_create(parent.comm, chosen, &made);
    } else if (place_of(ranks, me_) >= 0) {
      MPI_Comm_create_group(parent.comm, chosen, 5, &made);
    }
    MPI_Group_free(&chosen);
    MPI_Group_free(&all);
  }
  add(made, ranks);
}

void Communicators::connect(const Node& parent, Dice& dice) {
  Ranks groups[2];
  const int first = dice.below(static_cast<int>(parent.own().size()) - 1) + 1;
  for (const int rank : parent.own()) {
    groups[static_cast<int>(groups[0].size()) < first ? 0 : 1].push_back(rank);
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (parent.comm != MPI_COMM_NULL) {
    const int side = place_of(groups[0], me_) >= 0 ? 0 : 1;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(parent.comm, side, 0, &half);
    MPI_Intercomm_create(half, 0, parent.comm, side == 0 ? first : 0, 9, &made);
    MPI_Comm_free(&half);
  }
  add(made, groups[0], groups[1]);
}

void Communicators::merge(const Node& parent, Dice& dice) {
  const int low = dice.below(2);
  Ranks ranks = parent.groups[low];
  ranks.insert(ranks.end(), parent.groups[1 - low].begin(), parent.groups[1 - low].end());
  MPI_Comm made = MPI_COMM_NULL;
  if (parent.comm != MPI_COMM_NULL) {
    MPI_Intercomm_merge(parent.comm, parent.side == low ? 0 : 1, &made);
  }
  add(made, ranks);
}

}  // namespace heddle::testing
