#include "runtime/ways/launcher/node_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace heddle::launcher {
namespace {

using ::testing::ElementsAre;

std::vector<int> nodes_of(std::string_view text, int processes) {
  std::vector<int> nodes;
  EXPECT_FALSE(read_node_map(text, processes, &nodes)) << text;
  return nodes;
}

TEST(NodeMap, PlacesProcessesBlockByBlock) {
  EXPECT_THAT(nodes_of("(vector,(0,2,3))", 6), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(nodes_of("(vector,(0,1,2),(4,2,1))", 4), ElementsAre(0, 0, 4, 5));
}

TEST(NodeMap, PlacesNoMoreThanThereAre) {
  EXPECT_THAT(nodes_of("(vector,(0,4,16))", 3), ElementsAre(0, 0, 0));
}

TEST(NodeMap, BeginsAgainAtItsFirstNode0) {
  EXPECT_THAT(nodes_of("(vector,(0,2,1))", 5), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(nodes_of("(vector,(1,2,1),(0,2,1))", 7), ElementsAre(1, 2, 0, 1, 0, 1, 0));
}

TEST(NodeMap, DoesNotBelieveRepeatsNorAnEmptyText) {
  EXPECT_THAT(nodes_of("(vector,[(0,2,1)]x2)", 5), ElementsAre());
  EXPECT_THAT(nodes_of("", 5), ElementsAre());
}

TEST(NodeMap, RefusesWhatItCannotRead) {
  for (const char* text :
       {"vector", "(vector", "(vector)", "(vector,)", "(vector,(0,1))", "(vector,(0,1,1)",
        "(vector,(0,0,4))", "(vector,(0,1,-1))", "(vector,(0,1,99999999999999))",
        "(matrix,(0,1,1))", "(vector,(a,1,1))", "(vector,0)x", "(vector,0 0,)", "(vector0)"}) {
    std::vector<int> nodes;
    EXPECT_TRUE(read_node_map(text, 2, &nodes)) << text;
    EXPECT_THAT(nodes, ElementsAre());
  }
}

// ---- all placements, as the launchers write them

using Nodes = std::vector<int>;

struct Run {
  int node = 0, nodes = 1, processes = 1;
};

// Neighbours on one node, then neighbouring nodes with equally many.
std::vector<Run> runs_of(const Nodes& placement) {
  std::vector<Run> single;
  for (const int node : placement) {
    if (!single.empty() && single.back().node == node) {
      ++single.back().processes;
    } else {
      single.push_back({node, 1, 1});
    }
  }
  std::vector<Run> runs;
  for (const Run& each : single) {
    if (!runs.empty() && runs.back().node + runs.back().nodes == each.node &&
        runs.back().processes == each.processes) {
      ++runs.back().nodes;
    } else {
      runs.push_back(each);
    }
  }
  return runs;
}

std::string triple(const Run& run) {
  return "(" + std::to_string(run.node) + "," + std::to_string(run.nodes) + "," +
         std::to_string(run.processes) + ")";
}

// Slurm's srun, in pack_process_mapping: triples only.
std::string as_slurm_writes(const Nodes& placement) {
  std::string text = "(vector";
  for (const Run& run : runs_of(placement)) text += "," + triple(run);
  return text + ")";
}

// MPICH 5's hydra, in MPL_rankmap_array_to_str, where nothing repeats: triples and single numbers.
std::string as_hydra_writes(const Nodes& placement) {
  std::string text = "(vector";
  for (const Run& run : runs_of(placement)) {
    const bool alone = run.nodes == 1 && run.processes == 1;
    text += "," + (alone ? std::to_string(run.node) : triple(run));
  }
  return text + ")";
}

// Hydra before 4.2: one round over the nodes, which all processes follow.
std::string as_old_hydra_writes(const Nodes& round) {
  std::string text = "(vector, ";
  for (const Run& run : runs_of(round)) text += (text.back() == ')' ? ", " : "") + triple(run);
  return text + ")";
}

std::vector<Nodes> all_placements() {
  std::vector<Nodes> placements;
  std::mt19937 random(7);
  for (int nodes = 1; nodes <= 5; ++nodes) {
    for (int ranks = 1; ranks <= 8 * nodes; ++ranks) {
      Nodes cyclic, block, explicit_one;
      for (int rank = 0; rank < ranks; ++rank) {
        cyclic.push_back(rank % nodes);
        block.push_back(rank * nodes / ranks);
        explicit_one.push_back(static_cast<int>(random() % static_cast<unsigned>(nodes)));
      }
      Nodes uneven = explicit_one;
      std::sort(uneven.begin(), uneven.end());
      placements.insert(placements.end(), {cyclic, block, explicit_one, uneven});
    }
  }
  // All of three nodes and up to seven ranks.
  for (int ranks = 1; ranks <= 7; ++ranks) {
    int all = 1;
    for (int i = 0; i < ranks; ++i) all *= 3;
    for (int number = 0; number < all; ++number) {
      Nodes placement;
      for (int i = 0, rest = number; i < ranks; ++i, rest /= 3) placement.push_back(rest % 3);
      placements.push_back(placement);
    }
  }
  return placements;
}

TEST(NodeMap, ReadsAllPlacementsAsSlurmAndHydraWriteThem) {
  for (const Nodes& placement : all_placements()) {
    const int ranks = static_cast<int>(placement.size());
    EXPECT_EQ(nodes_of(as_slurm_writes(placement), ranks), placement);
    EXPECT_EQ(nodes_of(as_hydra_writes(placement), ranks), placement);
  }
}

TEST(NodeMap, ReadsAllRoundsAsOldHydraWritesThem) {
  std::mt19937 random(11);
  for (int nodes = 1; nodes <= 5; ++nodes) {
    for (int time = 0; time < 50; ++time) {
      Nodes round, all;
      for (int node = 0; node < nodes; ++node) round.insert(round.end(), 1 + random() % 8, node);
      const std::size_t ranks = 1 + random() % 80;
      while (all.size() < ranks) all.push_back(round[all.size() % round.size()]);
      EXPECT_EQ(nodes_of(as_old_hydra_writes(round), static_cast<int>(ranks)), all);
    }
  }
}

}  // namespace
}  // namespace heddle::launcher
