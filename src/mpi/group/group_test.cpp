// The oracle: groups as vectors of process numbers, and the standard's sentences over std::set.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "mpi/group/group_query.h"
#include "mpi/group/group_set.h"
#include "mpi/object/handle_table.h"

namespace heddle::group {
namespace {

using Numbers = std::vector<int>;
using object::Ref;

class GroupTest : public ::testing::Test {
 protected:
  static constexpr int kProcesses = 40;

  GroupTest() {
    Rank::enter(&rank_);
    world::here() = {&host_, &job_.process(5)};
  }
  ~GroupTest() override { Rank::enter(nullptr); }

  Ref<Group> group_of(const Numbers& numbers) {
    Group::Members members;
    for (const int number : numbers) members.push_back(&job_.process(number));
    return Ref<Group>::adopt(new Group(members));
  }

  static Numbers numbers_of(const Group& group) {
    Numbers numbers;
    for (int rank = 0; rank < group.size(); ++rank) numbers.push_back(group.member(rank).number);
    return numbers;
  }

  // Runs `make`, which must succeed, and gives the members of what it made.
  template <class Make>
  static Numbers made_by(Make make) {
    Group* made = nullptr;
    const Error e = make(&made);
    EXPECT_FALSE(e) << e.text();
    const auto owned = Ref<Group>::adopt(made);
    EXPECT_EQ(made == &empty(), made->size() == 0);
    return numbers_of(*made);
  }

  template <class Make>
  static void expect_refused(Make make, int error_class) {
    Group* made = nullptr;
    const Error e = make(&made);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), error_class) << e.text();
    EXPECT_EQ(made, nullptr);
  }

  Numbers some_numbers() {
    Numbers all(kProcesses);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), random_);
    all.resize(random_() % (kProcesses + 1));
    return all;
  }

  world::Host host_{world::kFirstJob, 0, kProcesses};
  world::Job& job_ = host_.job();
  Rank rank_{5};
  std::mt19937 random_{17};
};

bool has(const Numbers& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

TEST_F(GroupTest, UnionIntersectionAndDifferenceFollowTheStandardsOrder) {
  for (int round = 0; round < 200; ++round) {
    const Numbers a = some_numbers();
    const Numbers b = some_numbers();
    const Ref<Group> first = group_of(a);
    const Ref<Group> second = group_of(b);
    Numbers together = a;
    Numbers common;
    Numbers only_a;
    for (const int n : b) {
      if (!has(a, n)) together.push_back(n);
    }
    for (const int n : a) (has(b, n) ? common : only_a).push_back(n);
    EXPECT_EQ(made_by([&](Group** out) { return make_union(*first, *second, out); }), together);
    EXPECT_EQ(made_by([&](Group** out) { return make_intersection(*first, *second, out); }),
              common);
    EXPECT_EQ(made_by([&](Group** out) { return make_difference(*first, *second, out); }), only_a);
  }
}

TEST_F(GroupTest, InclTakesTheNamedRanksInTheirOrderAndExclTheOthers) {
  for (int round = 0; round < 200; ++round) {
    const Numbers a = some_numbers();
    const Ref<Group> from = group_of(a);
    Numbers ranks(a.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::shuffle(ranks.begin(), ranks.end(), random_);
    ranks.resize(random_() % (a.size() + 1));
    const int n = static_cast<int>(ranks.size());

    Numbers included;
    Numbers excluded = a;
    for (const int rank : ranks) {
      included.push_back(a[static_cast<std::size_t>(rank)]);
      std::erase(excluded, included.back());
    }
    EXPECT_EQ(made_by([&](Group** out) { return include(*from, n, ranks.data(), out); }), included);
    EXPECT_EQ(made_by([&](Group** out) { return exclude(*from, n, ranks.data(), out); }), excluded);
  }
}

TEST_F(GroupTest, RangesAreWhatTheirRanksAre) {
  Numbers all(kProcesses);
  std::iota(all.begin(), all.end(), 0);
  const Ref<Group> from = group_of(all);
  for (int round = 0; round < 500; ++round) {
    int ranges[3][3];
    Numbers named;
    for (auto& range : ranges) {
      range[0] = static_cast<int>(random_() % kProcesses);
      range[1] = static_cast<int>(random_() % kProcesses);
      range[2] = (range[1] >= range[0] ? 1 : -1) * static_cast<int>(1 + random_() % 7);
      for (int i = 0; i <= (range[1] - range[0]) / range[2]; ++i) {
        named.push_back(range[0] + i * range[2]);
      }
    }
    if (std::set<int>(named.begin(), named.end()).size() != named.size()) {
      expect_refused([&](Group** out) { return include_ranges(*from, 3, ranges, out); },
                     MPI_ERR_RANK);
      continue;
    }
    Numbers others = all;
    for (const int n : named) std::erase(others, n);
    EXPECT_EQ(made_by([&](Group** out) { return include_ranges(*from, 3, ranges, out); }), named);
    EXPECT_EQ(made_by([&](Group** out) { return exclude_ranges(*from, 3, ranges, out); }), others);
  }
}

TEST_F(GroupTest, RefusesRanksAndRangesThatAreWrong) {
  const Ref<Group> from = group_of({3, 1, 2});
  for (const int wrong : {-1, 3, MPI_PROC_NULL, 1 << 30}) {
    const int ranks[] = {0, wrong};
    expect_refused([&](Group** out) { return include(*from, 2, ranks, out); }, MPI_ERR_RANK);
    expect_refused([&](Group** out) { return exclude(*from, 2, ranks, out); }, MPI_ERR_RANK);
  }
  const int twice[] = {1, 1};
  expect_refused([&](Group** out) { return include(*from, 2, twice, out); }, MPI_ERR_RANK);
  const int no_stride[1][3] = {{0, 2, 0}};
  expect_refused([&](Group** out) { return include_ranges(*from, 1, no_stride, out); },
                 MPI_ERR_ARG);
  const int backwards[1][3] = {{2, 0, 1}};
  expect_refused([&](Group** out) { return include_ranges(*from, 1, backwards, out); },
                 MPI_ERR_ARG);
  const int beyond[1][3] = {{0, 2147483647, 2}};
  expect_refused([&](Group** out) { return exclude_ranges(*from, 1, beyond, out); }, MPI_ERR_RANK);
}

TEST_F(GroupTest, TranslatesRanksBetweenGroups) {
  for (int round = 0; round < 100; ++round) {
    const Numbers a = some_numbers();
    const Numbers b = some_numbers();
    if (a.empty()) continue;
    const Ref<Group> from = group_of(a);
    const Ref<Group> to = group_of(b);
    Numbers ranks;
    Numbers expected;
    for (int i = 0; i < 1 + static_cast<int>(random_() % 30); ++i) {
      ranks.push_back(static_cast<int>(random_() % a.size()));
      const auto found = std::find(b.begin(), b.end(), a[static_cast<std::size_t>(ranks.back())]);
      expected.push_back(found == b.end() ? MPI_UNDEFINED : static_cast<int>(found - b.begin()));
    }
    ranks.push_back(MPI_PROC_NULL);
    expected.push_back(MPI_PROC_NULL);
    Numbers translated(ranks.size());
    EXPECT_FALSE(
        translate(*from, static_cast<int>(ranks.size()), ranks.data(), *to, translated.data()));
    EXPECT_EQ(translated, expected);
  }
  const Ref<Group> group = group_of({1, 2});
  const int wrong[] = {0, 2};
  int out[2];
  const Error e = translate(*group, 2, wrong, *group, out);
  ASSERT_TRUE(e);
  EXPECT_EQ(e.error_class(), MPI_ERR_RANK);
}

// Numbers are a job's; a process is found by itself.
TEST_F(GroupTest, TellsProcessesOfTwoJobsApart) {
  world::Job& other = host_.add_job(world::kFirstJob + 1, kProcesses);
  Group::Members mixed, foreign;
  for (int number = kProcesses - 1; number >= 0; --number) {
    mixed.push_back(&(number % 2 == 0 ? other : job_).process(number));
    mixed.push_back(&(number % 2 == 0 ? job_ : other).process(number));
    foreign.push_back(&other.process(number));
  }
  const auto from = Ref<Group>::adopt(new Group(mixed));
  const auto to = Ref<Group>::adopt(new Group(foreign));
  Numbers ranks(mixed.size()), translated(mixed.size()), expected;
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const world::Process* process : mixed) {
    const auto found = std::find(foreign.begin(), foreign.end(), process);
    expected.push_back(found == foreign.end() ? MPI_UNDEFINED
                                              : static_cast<int>(found - foreign.begin()));
  }
  const int n = static_cast<int>(ranks.size());
  EXPECT_FALSE(translate(*from, n, ranks.data(), *to, translated.data()));
  EXPECT_EQ(translated, expected);
  EXPECT_FALSE(translate(*to, kProcesses, ranks.data(), *from, translated.data()));
  for (int i = 0; i < kProcesses; ++i) {
    EXPECT_EQ(mixed[static_cast<std::size_t>(translated[static_cast<std::size_t>(i)])],
              foreign[static_cast<std::size_t>(i)]);
  }
}

TEST_F(GroupTest, ComparesMembersAndTheirOrder) {
  for (int round = 0; round < 200; ++round) {
    const Numbers a = some_numbers();
    Numbers b = random_() % 2 == 0 ? a : some_numbers();
    if (random_() % 2 == 0) std::shuffle(b.begin(), b.end(), random_);
    const bool same_set = std::set<int>(a.begin(), a.end()) == std::set<int>(b.begin(), b.end());
    const int expected = a == b ? MPI_IDENT : same_set ? MPI_SIMILAR : MPI_UNEQUAL;
    EXPECT_EQ(relation(*group_of(a), *group_of(b)), expected);
  }
}

TEST_F(GroupTest, KnowsTheCallersRank) {
  int rank = -1;
  EXPECT_FALSE(get_rank(*group_of({7, 5, 1}), &rank));
  EXPECT_EQ(rank, 1);
  EXPECT_FALSE(get_rank(*group_of({0, 1, 2, 3, 4, 5}), &rank));
  EXPECT_EQ(rank, 5);
  EXPECT_FALSE(get_rank(empty(), &rank));
  EXPECT_EQ(rank, MPI_UNDEFINED);
}

TEST_F(GroupTest, FreeTakesTheEmptyGroupButNothingTwice) {
  auto handle = reinterpret_cast<MPI_Group>(object::publish(group_of({1}).leak()));
  MPI_Group again = handle;
  EXPECT_FALSE(free_group(&handle));
  EXPECT_EQ(handle, MPI_GROUP_NULL);
  for (MPI_Group* wrong : {&again, &handle}) {
    const Error e = free_group(wrong);
    ASSERT_TRUE(e);
    EXPECT_EQ(e.error_class(), MPI_ERR_GROUP);
  }
  MPI_Group nobody = MPI_GROUP_EMPTY;
  EXPECT_FALSE(free_group(&nobody));
  EXPECT_EQ(from_handle(MPI_GROUP_EMPTY)->size(), 0);
  EXPECT_EQ(from_handle(MPI_GROUP_NULL), nullptr);
}

}  // namespace
}  // namespace heddle::group
