// MPI_Comm_split_type (MPI 5.0 §7.4.2) by nodes. The oracle is the layout that the test asked for.

#include <algorithm>

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

namespace {

using heddle::testing::count_up;
using heddle::testing::members_of;
using heddle::testing::node_of;

// The ranks that share this one's node, in ascending order.
std::vector<int> neighbours_of(int rank, int size) {
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) {
    if (node_of(i, size) == node_of(rank, size)) ranks.push_back(i);
  }
  return ranks;
}

MPI_Comm split(MPI_Comm parent, int type, int key, const char* resource = nullptr) {
  MPI_Info info = MPI_INFO_NULL;
  if (resource != nullptr) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", resource);
  }
  MPI_Comm part = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Comm_split_type(parent, type, key, info, &part), MPI_SUCCESS);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return part;
}

void expect_members(MPI_Comm part, const std::vector<int>& expected) {
  ASSERT_NE(part, MPI_COMM_NULL);
  EXPECT_EQ(members_of(part), expected);
  MPI_Comm_free(&part);
}

}  // namespace

RANKS_TEST(SplitType, KeepsTheRanksOfANodeTogetherOrderedByKey, ranks(1, 2, 7)) {
  std::vector<int> expected = neighbours_of(rank, size);
  std::reverse(expected.begin(), expected.end());
  expect_members(split(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank), expected);
}

RANKS_TEST(SplitType, KnowsTheNodeByItsResourceNames, ranks(1, 2, 7)) {
  for (const int type : {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED}) {
    for (const char* node : {"mpi_shared_memory", "hwloc://Machine"}) {
      expect_members(split(MPI_COMM_WORLD, type, 0, node), neighbours_of(rank, size));
    }
    EXPECT_EQ(split(MPI_COMM_WORLD, type, 0, "a chair"), MPI_COMM_NULL);
    EXPECT_EQ(split(MPI_COMM_WORLD, type, 0), MPI_COMM_NULL);
  }
}

RANKS_TEST(SplitType, KnowsSetsOfProcesses, ranks(1, 2, 7)) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  const auto split_by = [&](const char* set) {
    MPI_Info_set(hints, "mpi_pset_name", set);
    MPI_Comm part = MPI_COMM_NULL;
    EXPECT_EQ(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, -rank, hints, &part),
        MPI_SUCCESS);
    return part;
  };
  std::vector<int> all = count_up(size);
  std::reverse(all.begin(), all.end());
  expect_members(split_by("mpi://WORLD"), all);
  expect_members(split_by("MPI://self"), {rank});
  EXPECT_EQ(split_by("mpi://other"), MPI_COMM_NULL);
  MPI_Info_free(&hints);
}

RANKS_TEST(SplitType, DividesByTheHardwareThatARankIsRestrictedTo, ranks(1, 7)) {
  MPI_Info hardware = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Get_hw_resource_info(&hardware), MPI_SUCCESS);
  int kinds = 0;
  MPI_Info_get_nkeys(hardware, &kinds);
  EXPECT_EQ(kinds, 1);
  for (int i = 0; i < kinds; ++i) {
    char kind[MPI_MAX_INFO_KEY + 1] = "", restricted[16] = "";
    int size_of_value = sizeof restricted, found = 0;
    MPI_Info_get_nthkey(hardware, i, kind);
    MPI_Info_get_string(hardware, kind, &size_of_value, restricted, &found);
    EXPECT_STREQ(restricted, "true");
    expect_members(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, kind),
                   neighbours_of(rank, size));
  }
  MPI_Info_free(&hardware);
}

RANKS_TEST(SplitType, UnguidedGivesNodesUntilThereIsOnlyOne, ranks(1, 2, 7)) {
  const std::vector<int> together = neighbours_of(rank, size);
  MPI_Comm node = split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0);
  if (together == count_up(size)) {
    EXPECT_EQ(node, MPI_COMM_NULL);
    return;
  }
  EXPECT_EQ(members_of(node), together);
  EXPECT_EQ(split(node, MPI_COMM_TYPE_HW_UNGUIDED, 0), MPI_COMM_NULL);
  MPI_Comm_free(&node);
}

RANKS_TEST(SplitType, UnguidedSaysWhatThePartsAre, ranks(1, 2, 7)) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part);
  char type[MPI_MAX_INFO_VAL + 1] = "";
  int length = sizeof type, told = 0;
  MPI_Info_get_string(info, "mpi_hw_resource_type", &length, type, &told);
  EXPECT_EQ(told != 0, part != MPI_COMM_NULL);
  if (told != 0) {
    EXPECT_EQ(members_of(part), neighbours_of(rank, size));
    expect_members(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, type), members_of(part));
    MPI_Comm_free(&part);
  }
  MPI_Info_free(&info);
}

RANKS_TEST(SplitType, GivesNothingToARankThatAsksForNothing, ranks(1, 2, 7)) {
  MPI_Comm part = split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0);
  if (rank == 0) {
    EXPECT_EQ(part, MPI_COMM_NULL);
    return;
  }
  std::vector<int> expected = neighbours_of(rank, size);
  std::erase(expected, 0);
  expect_members(part, expected);
}

RANKS_TEST(SplitType, RefusesATypeThatIsNone, ranks(1, 2)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm part = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &part), MPI_ERR_ARG);
  EXPECT_EQ(part, MPI_COMM_WORLD);
}
