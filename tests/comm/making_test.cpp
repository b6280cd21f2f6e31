// New communicators have the right members in the right order (MPI 5.0 §7.4.2). The oracle is
// computed by every rank from all ranks' arguments.

#include <algorithm>
#include <random>

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

namespace {

using heddle::testing::count_up;
using heddle::testing::expect_apart;
using heddle::testing::members_of;

struct Choice {
  int color;
  int key;
};

// The world ranks with this color, by key and then rank.
std::vector<int> expected_members(const std::vector<Choice>& choices, int color) {
  std::vector<int> ranks;
  for (int key = -3; key <= 3; ++key) {
    for (int rank = 0; rank < static_cast<int>(choices.size()); ++rank) {
      const Choice& choice = choices[static_cast<std::size_t>(rank)];
      if (choice.color == color && choice.key == key) ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace

RANKS_TEST(Dup, HasTheSameMembersAndItsOwnMessages, ranks(1, 2, 4, 7)) {
  MPI_Comm copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_SUCCESS);
  int relation = -1;
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  MPI_Comm_compare(copy, copy, &relation);
  EXPECT_EQ(relation, MPI_IDENT);
  EXPECT_EQ(members_of(copy), count_up(size));
  expect_apart({MPI_COMM_WORLD, copy});
  MPI_Comm_free(&copy);
  EXPECT_EQ(copy, MPI_COMM_NULL);
}

RANKS_TEST(Split, FollowsColorsAndKeys, ranks(1, 2, 4, 7)) {
  std::mt19937 random(static_cast<unsigned>(heddle::testing::seed()));
  for (int round = 0; round < 50; ++round) {
    std::vector<Choice> choices;
    for (int i = 0; i < size; ++i) {
      const int color = static_cast<int>(random() % 4);
      choices.push_back({color == 3 ? MPI_UNDEFINED : color, static_cast<int>(random() % 7) - 3});
    }
    const Choice mine = choices[static_cast<std::size_t>(rank)];
    MPI_Comm part = MPI_COMM_WORLD;
    ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, mine.color, mine.key, &part), MPI_SUCCESS);
    if (mine.color == MPI_UNDEFINED) {
      EXPECT_EQ(part, MPI_COMM_NULL);
      continue;
    }
    EXPECT_EQ(members_of(part), expected_members(choices, mine.color));
    expect_apart({MPI_COMM_SELF, part});
    MPI_Comm_free(&part);
  }
}

RANKS_TEST(Split, RefusesANegativeColor, ranks(1, 2)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm part = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, -7, 0, &part), MPI_ERR_ARG);
  EXPECT_EQ(part, MPI_COMM_WORLD) << "outputs are set only on success";
}

RANKS_TEST(Create, MakesDisjointCommunicatorsAtOnce, ranks(1, 2, 4, 7)) {
  // Three groups by rank modulo 3; those of the last get none.
  MPI_Group world = MPI_GROUP_NULL, mine = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> together;
  for (int i = size - 1; i >= 0; --i) {
    if (i % 3 == rank % 3) together.push_back(i);
  }
  if (rank % 3 == 2) together.clear();
  MPI_Group_incl(world, static_cast<int>(together.size()), together.data(), &mine);
  MPI_Comm made = MPI_COMM_WORLD;
  ASSERT_EQ(MPI_Comm_create(MPI_COMM_WORLD, mine, &made), MPI_SUCCESS);
  if (rank % 3 == 2) {
    EXPECT_EQ(made, MPI_COMM_NULL);
  } else {
    EXPECT_EQ(members_of(made), together);
    MPI_Group again = MPI_GROUP_NULL;
    MPI_Comm_group(made, &again);
    int relation = -1;
    MPI_Group_compare(mine, again, &relation);
    EXPECT_EQ(relation, MPI_IDENT);
    MPI_Group_free(&again);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&mine);
  MPI_Group_free(&world);
}

RANKS_TEST(CreateGroup, NeedsItsMembersOnly, ranks(1, 2, 4, 7, 20)) {
  MPI_Group world = MPI_GROUP_NULL, even = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> evens;
  for (int i = size - 1; i >= 0; --i) {
    if (i % 2 == 0) evens.push_back(i);
  }
  MPI_Group_incl(world, static_cast<int>(evens.size()), evens.data(), &even);
  if (rank % 2 == 0) {
    MPI_Comm made = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, even, 9, &made), MPI_SUCCESS);
    EXPECT_EQ(members_of(made), evens);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&even);
  MPI_Group_free(&world);
}

RANKS_TEST(Create, RefusesAGroupThatIsNotPartOfTheParent, ranks(2, 4)) {
  MPI_Comm single = MPI_COMM_NULL, made = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_SELF, &single);
  MPI_Comm_set_errhandler(single, MPI_ERRORS_RETURN);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  EXPECT_EQ(MPI_Comm_create(single, world, &made), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Comm_create_group(single, world, 0, &made), MPI_ERR_GROUP);
  EXPECT_EQ(made, MPI_COMM_WORLD);
  MPI_Group_free(&world);
  MPI_Comm_free(&single);
}
