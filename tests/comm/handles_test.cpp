// Freed handles, garbage and handles of another kind give the error class of their argument and
// never a crash, and no output is touched.

#include <cstdint>
#include <vector>

#include "tests/support/ranks_test.h"

namespace {

template <class Handle>
std::vector<Handle> wrong_handles(Handle freed) {
  std::vector<Handle> wrong = {freed, nullptr};
  for (const std::uintptr_t word :
       {std::uintptr_t{1}, std::uintptr_t{0xfff}, std::uintptr_t{0x1000},
        std::uintptr_t{0xdeadbeef}, ~std::uintptr_t{0}, std::uintptr_t{1} << 27,
        reinterpret_cast<std::uintptr_t>(freed) + 1,
        reinterpret_cast<std::uintptr_t>(freed) ^ (std::uintptr_t{1} << 40),
        reinterpret_cast<std::uintptr_t>(&wrong)}) {
    wrong.push_back(reinterpret_cast<Handle>(word));
  }
  return wrong;
}

void ignore_on_comm(MPI_Comm*, int*, ...) {}
void ignore_on_window(MPI_Win*, int*, ...) {}

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

}  // namespace

RANKS_TEST(Handles, ThatAreNoCommunicatorsAreRefused, ranks(1, 2)) {
  return_errors();
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &freed);
  const MPI_Comm old = freed;
  MPI_Comm_free(&freed);
  for (const MPI_Comm wrong : wrong_handles(old)) {
    int n = 77;
    MPI_Comm made = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Comm_rank(wrong, &n), MPI_ERR_COMM) << wrong;
    EXPECT_EQ(MPI_Comm_size(wrong, &n), MPI_ERR_COMM) << wrong;
    EXPECT_EQ(MPI_Comm_compare(MPI_COMM_WORLD, wrong, &n), MPI_ERR_COMM) << wrong;
    EXPECT_EQ(MPI_Comm_dup(wrong, &made), MPI_ERR_COMM) << wrong;
    EXPECT_EQ(MPI_Comm_set_errhandler(wrong, MPI_ERRORS_RETURN), MPI_ERR_COMM) << wrong;
    EXPECT_EQ(n, 77);
    EXPECT_EQ(made, MPI_COMM_WORLD);
  }
}

RANKS_TEST(Handles, OfACommunicatorsGroupAreFreedAsOftenAsTheyWereGiven, ranks(1, 2)) {
  return_errors();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Group first = MPI_GROUP_NULL, second = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &first);
  MPI_Comm_group(comm, &second);
  MPI_Comm_free(&comm);
  MPI_Group old = first;
  EXPECT_EQ(MPI_Group_free(&first), MPI_SUCCESS);
  int n = 0, result = 0;
  EXPECT_EQ(MPI_Group_size(second, &n), MPI_SUCCESS);
  EXPECT_EQ(n, size);
  MPI_Comm_group(MPI_COMM_WORLD, &first);
  EXPECT_EQ(MPI_Group_compare(first, second, &result), MPI_SUCCESS);
  EXPECT_EQ(result, MPI_IDENT);
  EXPECT_EQ(MPI_Group_free(&second), MPI_SUCCESS);
  EXPECT_EQ(MPI_Group_free(&first), MPI_SUCCESS);
  EXPECT_EQ(MPI_Group_free(&old), MPI_ERR_GROUP);
}

RANKS_TEST(Handles, ThatAreNoGroupsAreRefused, ranks(1, 2)) {
  return_errors();
  MPI_Group freed = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &freed);
  const MPI_Group old = freed;
  MPI_Group_free(&freed);
  for (MPI_Group wrong : wrong_handles(old)) {
    int n = 77;
    MPI_Group made = MPI_GROUP_EMPTY;
    EXPECT_EQ(MPI_Group_size(wrong, &n), MPI_ERR_GROUP) << wrong;
    EXPECT_EQ(MPI_Group_union(wrong, MPI_GROUP_EMPTY, &made), MPI_ERR_GROUP) << wrong;
    EXPECT_EQ(MPI_Group_union(MPI_GROUP_EMPTY, wrong, &made), MPI_ERR_GROUP) << wrong;
    EXPECT_EQ(MPI_Group_free(&wrong), MPI_ERR_GROUP) << wrong;
    EXPECT_EQ(n, 77);
    EXPECT_EQ(made, MPI_GROUP_EMPTY);
  }
}

RANKS_TEST(Handles, ThatAreNoErrorHandlersAreRefused, ranks(1, 2)) {
  return_errors();
  MPI_Errhandler freed = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ignore_on_comm, &freed);
  const MPI_Errhandler old = freed;
  MPI_Errhandler_free(&freed);
  for (MPI_Errhandler wrong : wrong_handles(old)) {
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, wrong), MPI_ERR_ERRHANDLER) << wrong;
    EXPECT_EQ(MPI_Errhandler_free(&wrong), MPI_ERR_ERRHANDLER) << wrong;
  }
  MPI_Errhandler window_only = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(ignore_on_window, &window_only);
  EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, window_only), MPI_ERR_ERRHANDLER);
  MPI_Errhandler_free(&window_only);
}

RANKS_TEST(Handles, ThatAreNoInfoObjectsAreRefused, ranks(1, 2)) {
  return_errors();
  MPI_Info freed = MPI_INFO_NULL;
  MPI_Info_create(&freed);
  const MPI_Info old = freed;
  MPI_Info_free(&freed);
  EXPECT_EQ(freed, MPI_INFO_NULL);
  for (MPI_Info wrong : wrong_handles(old)) {
    int n = 77;
    EXPECT_EQ(MPI_Info_set(wrong, "key", "value"), MPI_ERR_INFO) << wrong;
    EXPECT_EQ(MPI_Info_get_nkeys(wrong, &n), MPI_ERR_INFO) << wrong;
    EXPECT_EQ(MPI_Info_free(&wrong), MPI_ERR_INFO) << wrong;
    EXPECT_EQ(n, 77);
  }
}

RANKS_TEST(Handles, OfAnotherRankAreRefused, ranks(2, 4)) {
  return_errors();
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &mine);
  std::vector<MPI_Group> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    int n = 0;
    EXPECT_EQ(MPI_Group_size(all[static_cast<std::size_t>(i)], &n),
              i == rank ? MPI_SUCCESS : MPI_ERR_GROUP);
  }
  MPI_Group_free(&mine);
}

RANKS_TEST(Handles, HaveIntsThatLeadBack, ranks(1, 2)) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT_EQ(MPI_Comm_fromint(MPI_Comm_toint(comm)), comm);
  EXPECT_EQ(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)), MPI_COMM_WORLD);
  EXPECT_EQ(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_NULL)), MPI_COMM_NULL);
  MPI_Comm_free(&comm);
}
