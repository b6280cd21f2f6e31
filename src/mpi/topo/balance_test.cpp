// The oracle tries all grids.

#include "mpi/topo/balance.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <random>
#include <tuple>
#include <vector>

namespace heddle::topo {
namespace {

using Sizes = std::vector<int>;

// Calls f(sizes) for all ways to write `left` as a product of sizes that do not increase, after those
// that stand there.
template <class F>
void for_each_grid(int left, std::size_t open, Sizes& sizes, F f) {
  if (open == 0) {
    if (left == 1) f(sizes);
    return;
  }
  const int most = sizes.empty() ? left : sizes.back();
  for (int size = 1; size <= most; ++size) {
    if (left % size != 0) continue;
    sizes.push_back(size);
    for_each_grid(left / size, open - 1, sizes, f);
    sizes.pop_back();
  }
}

Sizes best_grid(int processes, std::size_t dimensions) {
  std::vector<Sizes> all;
  Sizes sizes;
  for_each_grid(processes, dimensions, sizes, [&](const Sizes& grid) { all.push_back(grid); });
  const auto rating = [](const Sizes& grid) {  // more is better
    return std::tuple(grid.back() - grid.front(), Sizes(grid.rbegin(), grid.rend()));
  };
  return *std::max_element(all.begin(), all.end(),
                           [&](const Sizes& a, const Sizes& b) { return rating(a) < rating(b); });
}

Sizes balanced(int processes, Sizes sizes) {
  const Error error = balance(processes, static_cast<int>(sizes.size()), sizes.data());
  EXPECT_FALSE(error) << error.text();
  return sizes;
}

int error_of(int processes, Sizes sizes) {
  const Sizes before = sizes;
  Error error = balance(processes, static_cast<int>(sizes.size()), sizes.data());
  EXPECT_EQ(sizes, before) << "outputs are set only on success";
  return error ? error.error_class() : MPI_SUCCESS;
}

TEST(Balance, FindsWhatTryingAllGridsFinds) {
  for (int processes = 1; processes <= 400; ++processes) {
    for (std::size_t dimensions = 1; dimensions <= 5; ++dimensions) {
      ASSERT_EQ(balanced(processes, Sizes(dimensions, 0)), best_grid(processes, dimensions));
    }
  }
}

TEST(Balance, FillsInAroundTheSizesThatAreGiven) {
  std::mt19937 random(7);
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 2000; ++round) {
    Sizes given;
    int product = 1;
    for (int i = 0; i < 1 + draw(5); ++i) {
      given.push_back(draw(2) == 0 ? 0 : 1 + draw(4));
      if (given.back() != 0) product *= given.back();
    }
    const auto open = static_cast<std::size_t>(std::count(given.begin(), given.end(), 0));
    const int rest = 1 + draw(60);
    const Sizes filled = balanced(product * rest, given);
    Sizes new_ones;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] == 0) {
        new_ones.push_back(filled[i]);
      } else {
        EXPECT_EQ(filled[i], given[i]);
      }
    }
    EXPECT_EQ(new_ones, open == 0 ? Sizes() : best_grid(rest, open));
  }
}

TEST(Balance, KnowsSomeExamples) {
  EXPECT_EQ(balanced(6, {0, 0}), (Sizes{3, 2}));
  EXPECT_EQ(balanced(7, {0, 0}), (Sizes{7, 1}));
  EXPECT_EQ(balanced(5040, {0, 0, 0}), (Sizes{21, 16, 15})) << "and not 20 x 18 x 14";
  EXPECT_EQ(balanced(6, {0, 3, 0}), (Sizes{2, 3, 1}));
  EXPECT_EQ(error_of(7, {0, 3, 0}), MPI_ERR_DIMS);
}

TEST(Balance, TakesTheLargestNumbers) {
  EXPECT_EQ(balanced(INT_MAX, {0, 0, 0}), (Sizes{INT_MAX, 1, 1}));
  EXPECT_EQ(balanced(1 << 30, Sizes(31, 0)).front(), 2);
  constexpr int kManyDivisors = 2095133040;
  int low = 1;
  for (int i = 1; i <= kManyDivisors / i; ++i) {
    if (kManyDivisors % i == 0) low = i;
  }
  EXPECT_EQ(balanced(kManyDivisors, {0, 0}), (Sizes{kManyDivisors / low, low}));
}

TEST(Balance, RefusesWhatIsNoSize) {
  EXPECT_EQ(error_of(4, {0, -1}), MPI_ERR_DIMS);
  EXPECT_EQ(error_of(0, {0, 0}), MPI_ERR_ARG);
  EXPECT_EQ(error_of(5, {2, 2}), MPI_ERR_DIMS);
  EXPECT_EQ(error_of(5, {}), MPI_SUCCESS);
}

}  // namespace
}  // namespace heddle::topo
