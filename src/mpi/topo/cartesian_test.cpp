#include "mpi/topo/cartesian.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::topo {
namespace {

using Coordinates = std::vector<int>;

// All coordinates of a grid in the order of ranks, by counting like an odometer.
std::vector<Coordinates> all_coordinates(const std::vector<Dimension>& dimensions) {
  std::vector<Coordinates> all{{}};
  for (const Dimension& dimension : dimensions) {
    std::vector<Coordinates> longer;
    for (const Coordinates& one : all) {
      for (int i = 0; i < dimension.size; ++i) {
        longer.push_back(one);
        longer.back().push_back(i);
      }
    }
    all = longer;
  }
  return all;
}

// The rank that has these coordinates; MPI_PROC_NULL if none has.
int find(const std::vector<Coordinates>& all, const Coordinates& wanted) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == wanted) return static_cast<int>(rank);
  }
  return MPI_PROC_NULL;
}

std::vector<Dimension> random_grid(std::mt19937& random) {
  std::vector<Dimension> dimensions(random() % 5);
  for (Dimension& dimension : dimensions) {
    dimension = {1 + static_cast<int>(random() % 4), random() % 2 == 0};
  }
  return dimensions;
}

TEST(Cartesian, NumbersRanksInRowMajorOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto dimensions = random_grid(random);
    const Cartesian grid(dimensions);
    const auto all = all_coordinates(dimensions);
    ASSERT_EQ(static_cast<std::size_t>(grid.ranks()), all.size());
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const Coordinates& here = all[static_cast<std::size_t>(rank)];
      int found = -1;
      ASSERT_FALSE(grid.rank_at(here.data(), &found));
      EXPECT_EQ(found, rank);
      for (int i = 0; i < grid.dimensions(); ++i) {
        EXPECT_EQ(grid.coordinate(rank, i), here[static_cast<std::size_t>(i)]);
      }
    }
  }
}

TEST(Cartesian, StepsRoundOrOverTheBorder) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const auto dimensions = random_grid(random);
    const Cartesian grid(dimensions);
    const auto all = all_coordinates(dimensions);
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        for (int steps = -9; steps <= 9; ++steps) {
          Coordinates there = all[static_cast<std::size_t>(rank)];
          there[i] += steps;
          if (dimensions[i].periodic) {
            while (there[i] < 0) there[i] += dimensions[i].size;
            while (there[i] >= dimensions[i].size) there[i] -= dimensions[i].size;
          }
          const int expected = find(all, there);
          EXPECT_EQ(grid.neighbor(rank, static_cast<int>(i), steps), expected);
          int found = MPI_PROC_NULL;
          there = all[static_cast<std::size_t>(rank)];
          there[i] += steps;
          if (Error e = grid.rank_at(there.data(), &found)) {
            EXPECT_EQ(e.error_class(), MPI_ERR_ARG);
          }
          EXPECT_EQ(found, expected);
        }
      }
    }
  }
}

TEST(Cartesian, APartHasTheKeptCoordinates) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto dimensions = random_grid(random);
    const Cartesian grid(dimensions);
    Coordinates keep;
    std::vector<Dimension> kept;
    for (const Dimension& dimension : dimensions) {
      keep.push_back(static_cast<int>(random() % 2));
      if (keep.back() != 0) kept.push_back(dimension);
    }
    const Cartesian part = grid.part(keep.data(), true);
    const auto all = all_coordinates(dimensions), in_part = all_coordinates(kept);
    ASSERT_EQ(part.dimensions(), static_cast<int>(kept.size()));
    ASSERT_EQ(part.ranks() * grid.part(keep.data(), false).ranks(), grid.ranks());
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      Coordinates own;
      for (std::size_t i = 0; i < keep.size(); ++i) {
        if (keep[i] != 0) own.push_back(all[static_cast<std::size_t>(rank)][i]);
      }
      EXPECT_EQ(grid.place_in_part(rank, keep.data(), true), find(in_part, own));
    }
  }
}

TEST(Cartesian, LargeStepsDoNotOverflow) {
  const Cartesian ring(std::vector<Dimension>{{7, true}}), line(std::vector<Dimension>{{7, false}});
  EXPECT_EQ(ring.neighbor(6, 0, 2147483647), (6 + 2147483647LL) % 7);
  EXPECT_EQ(ring.neighbor(0, 0, 2147483648LL), 2147483648LL % 7);
  EXPECT_EQ(line.neighbor(6, 0, 2147483647), MPI_PROC_NULL);
}

}  // namespace
}  // namespace heddle::topo
