// Intercommunicators: made of two halves, used, duplicated, split and merged (MPI 5.0 §7.6).

#include <algorithm>
#include <cstring>

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

namespace {

using heddle::testing::count_up;
using heddle::testing::members_of;

// The odd and the even ranks of the world, and between them an intercommunicator whose leaders are
// not the ranks 0.
struct Halves {
  Halves(int rank, int size) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    int side_size = 0;
    MPI_Comm_size(side, &side_size);
    const int other_leader = rank % 2 == 0 ? (size / 2 - 1) * 2 + 1 : ((size + 1) / 2 - 1) * 2;
    MPI_Intercomm_create(side, side_size - 1, MPI_COMM_WORLD, other_leader, 12, &inter);
  }
  ~Halves() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
  }
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
};

std::vector<int> group_members(MPI_Group group) {
  int n = 0;
  MPI_Group_size(group, &n);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> members(static_cast<std::size_t>(n));
  MPI_Group_translate_ranks(group, n, count_up(n).data(), world, members.data());
  MPI_Group_free(&world);
  return members;
}

std::vector<int> remote_members(MPI_Comm inter) {
  MPI_Group remote = MPI_GROUP_NULL;
  MPI_Comm_remote_group(inter, &remote);
  const std::vector<int> members = group_members(remote);
  MPI_Group_free(&remote);
  return members;
}

std::vector<int> every_second(int first, int size) {
  std::vector<int> ranks;
  for (int i = first; i < size; i += 2) ranks.push_back(i);
  return ranks;
}

// Rank i of one side and rank i of the other tell each other their world ranks.
void expect_pairs_talk(MPI_Comm inter, int world_rank) {
  int rank = -1, remote_size = 0;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &remote_size);
  if (rank >= remote_size) return;
  int theirs = -1;
  MPI_Status status;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, rank, 0, &theirs, 1, MPI_INT, rank, 0, inter, &status);
  EXPECT_EQ(theirs, remote_members(inter)[static_cast<std::size_t>(rank)]);
  EXPECT_EQ(status.MPI_SOURCE, rank);
}

}  // namespace

RANKS_TEST(Intercomm, ConnectsTwoHalves, ranks(2, 4, 7)) {
  const Halves halves(rank, size);
  int flag = 0, local_rank = -1, local_size = 0, remote_size = 0;
  MPI_Comm_test_inter(halves.inter, &flag);
  EXPECT_TRUE(flag);
  MPI_Comm_rank(halves.inter, &local_rank);
  EXPECT_EQ(local_rank, rank / 2);
  MPI_Comm_size(halves.inter, &local_size);
  EXPECT_EQ(static_cast<std::size_t>(local_size), every_second(rank % 2, size).size());
  MPI_Comm_remote_size(halves.inter, &remote_size);
  EXPECT_EQ(local_size + remote_size, size);
  EXPECT_EQ(remote_members(halves.inter), every_second(1 - rank % 2, size));
  expect_pairs_talk(halves.inter, rank);
}

RANKS_TEST(Intercomm, CanBeDuplicated, ranks(2, 4, 7)) {
  const Halves halves(rank, size);
  MPI_Comm copy = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(halves.inter, &copy), MPI_SUCCESS);
  int relation = -1;
  MPI_Comm_compare(halves.inter, copy, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  MPI_Comm_compare(halves.side, copy, &relation);
  EXPECT_EQ(relation, MPI_UNEQUAL);
  expect_pairs_talk(copy, rank);
  MPI_Comm_disconnect(&copy);
  EXPECT_EQ(copy, MPI_COMM_NULL);
}

RANKS_TEST(Intercomm, MergesTheLowSideFirst, ranks(2, 4, 7)) {
  const Halves halves(rank, size);
  for (const int high_side : {0, 1}) {
    MPI_Comm merged = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Intercomm_merge(halves.inter, rank % 2 == high_side, &merged), MPI_SUCCESS);
    std::vector<int> expected = every_second(1 - high_side, size);
    for (const int i : every_second(high_side, size)) expected.push_back(i);
    EXPECT_EQ(members_of(merged), expected);
    MPI_Comm_free(&merged);
  }
}

RANKS_TEST(Intercomm, MergesInOneOrderWhenBothSidesGiveTheSame, ranks(2, 4, 7)) {
  const Halves halves(rank, size);
  for (const int high : {0, 1}) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(halves.inter, high, &merged);
    const std::vector<int> members = members_of(merged);
    std::vector<int> even_first = every_second(0, size);
    std::vector<int> odd_first = every_second(1, size);
    for (const int i : every_second(1, size)) even_first.push_back(i);
    for (const int i : every_second(0, size)) odd_first.push_back(i);
    EXPECT_TRUE(members == even_first || members == odd_first);
    int first = -1, everywhere = -1;
    first = members.front();
    MPI_Allreduce(&first, &everywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(first, everywhere);
    MPI_Comm_free(&merged);
  }
}

RANKS_TEST(Intercomm, SplitsBothSidesByColor, ranks(4, 7)) {
  const Halves halves(rank, size);
  // Color 0: the first two of each side. Color 1: the rest of the even side only, so no rank.
  const int color = rank / 2 < 2 ? 0 : rank % 2 == 0 ? 1 : MPI_UNDEFINED;
  MPI_Comm part = MPI_COMM_WORLD;
  ASSERT_EQ(MPI_Comm_split(halves.inter, color, -rank, &part), MPI_SUCCESS);
  if (color != 0) {
    EXPECT_EQ(part, MPI_COMM_NULL);
    return;
  }
  std::vector<int> expected = every_second(1 - rank % 2, 4);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(remote_members(part), expected);
  expect_pairs_talk(part, rank);
  MPI_Comm_free(&part);
}

RANKS_TEST(Intercomm, CreatesFromAGroupOfEachSide, ranks(4, 7)) {
  const Halves halves(rank, size);
  MPI_Group own = MPI_GROUP_NULL, last = MPI_GROUP_NULL;
  MPI_Comm_group(halves.inter, &own);
  int n = 0;
  MPI_Group_size(own, &n);
  const int keep[] = {n - 1, 0};
  MPI_Group_incl(own, 2, keep, &last);
  MPI_Comm made = MPI_COMM_WORLD;
  ASSERT_EQ(MPI_Comm_create(halves.inter, last, &made), MPI_SUCCESS);
  if (rank / 2 == 0 || rank / 2 == n - 1) {
    const std::vector<int> others = every_second(1 - rank % 2, size);
    const std::vector<int> expected = {others.back(), others.front()};
    EXPECT_EQ(remote_members(made), expected);
    expect_pairs_talk(made, rank);
    MPI_Comm_free(&made);
  } else {
    EXPECT_EQ(made, MPI_COMM_NULL);
  }
  MPI_Group_free(&last);
  MPI_Group_free(&own);
}

RANKS_TEST(Intercomm, IsNotForTheWrongKindOfCommunicator, ranks(2)) {
  const Halves halves(rank, size);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, halves.inter}) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  int n = -1;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Intercomm_create(halves.inter, 0, MPI_COMM_WORLD, 0, 0, &made), MPI_ERR_COMM);
  MPI_Comm_group(halves.inter, &group);
  EXPECT_EQ(MPI_Comm_create_group(halves.inter, group, 0, &made), MPI_ERR_COMM);
  MPI_Group_free(&group);
}

RANKS_TEST(Intercomm, AllowsInPlaceAtNoRank, ranks(2)) {
  Halves halves(rank, size);
  MPI_Comm_set_errhandler(halves.inter, MPI_ERRORS_RETURN);
  int sum = 0, length = 0;
  const int code = MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, halves.inter);
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_string(code, text, &length);
  EXPECT_NE(std::strstr(text, "MPI_IN_PLACE, which is not allowed in the communicator"), nullptr)
      << text;
}

RANKS_TEST(Intercomm, FailsOnTheWholeSideWhenItsLeaderIsWrong, ranks(4)) {
  MPI_Comm side = MPI_COMM_NULL, made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
  MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Intercomm_create(side, 0, MPI_COMM_NULL, 0, 0, &made), MPI_ERR_COMM);
  EXPECT_EQ(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 17, 0, &made), MPI_ERR_RANK);
  EXPECT_EQ(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank % 2, 0, &made), MPI_ERR_COMM)
      << "the remote leader is on the local side";
  MPI_Comm_free(&side);
}
