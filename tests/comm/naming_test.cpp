// Names and hints of communicators (MPI 5.0 §7.4.4, §7.8).

#include <mpi.h>

#include <string>

#include "tests/support/ranks_test.h"

namespace {

std::string name_of(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_get_name(comm, name, &length);
  EXPECT_EQ(static_cast<std::size_t>(length), std::string(name).size());
  return name;
}

// The value of a communicator's hint, "" if it has none.
std::string hint_of(MPI_Comm comm, const char* key) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Comm_get_info(comm, &hints);
  char value[64] = "";
  int length = sizeof value, flag = 0;
  MPI_Info_get_string(hints, key, &length, value, &flag);
  MPI_Info_free(&hints);
  return flag ? value : "";
}

}  // namespace

RANKS_TEST(Name, IsPredefinedSettableAndCutToWhatFits, ranks(1, 2)) {
  EXPECT_EQ(name_of(MPI_COMM_WORLD), "MPI_COMM_WORLD");
  EXPECT_EQ(name_of(MPI_COMM_SELF), "MPI_COMM_SELF");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT_EQ(name_of(comm), "") << "names are not copied";
  MPI_Comm_set_name(comm, "rows");
  EXPECT_EQ(name_of(comm), "rows");
  MPI_Comm_set_name(comm, std::string(1000, 'x').c_str());
  EXPECT_EQ(name_of(comm), std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
  MPI_Comm_free(&comm);
}

RANKS_TEST(Name, OfNoObjectIsThatOfItsConstant, ranks(1)) {
  EXPECT_EQ(name_of(MPI_COMM_NULL), "MPI_COMM_NULL");
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = -1;
  EXPECT_EQ(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(name), "MPI_DATATYPE_NULL");
  EXPECT_EQ(length, 17);
}

RANKS_TEST(Hints, AreGivenBackWhereTheyAreKnownAndComeWithDupWithInfoOnly, ranks(1, 2)) {
  const char* const known = "mpi_assert_no_any_tag";
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, known, "true");
  MPI_Info_set(info, "coffee", "black");
  MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &first);
  EXPECT_EQ(hint_of(first, known), "true");
  EXPECT_EQ(hint_of(first, "coffee"), "");
  EXPECT_EQ(hint_of(MPI_COMM_WORLD, known), "false");
  MPI_Comm_dup(first, &second);
  EXPECT_EQ(hint_of(second, known), "false");
  MPI_Comm_set_info(second, info);
  EXPECT_EQ(hint_of(second, known), "true");
  MPI_Info_set(info, known, "false");
  MPI_Comm_set_info(second, info);
  EXPECT_EQ(hint_of(second, known), "false");
  EXPECT_EQ(hint_of(first, known), "true");
  MPI_Info_free(&info);
  MPI_Comm_free(&second);
  MPI_Comm_free(&first);
}

RANKS_TEST(Hints, ThatAreKnownHaveDefaultsAndMemoryItsKinds, ranks(1, 2)) {
  const char* const kinds = "mpi_memory_alloc_kinds";
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, kinds, "coffee");
  MPI_Info_set(info, "mpi_assert_no_any_source", "maybe");
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &made);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, made}) {
    EXPECT_EQ(hint_of(comm, kinds), "mpi,system");
    for (const char* hint :
         {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
          "mpi_assert_allow_overtaking", "mpi_assert_strict_persistent_collective_ordering"}) {
      EXPECT_EQ(hint_of(comm, hint), "false") << hint;
    }
  }
  MPI_Comm_free(&made);
  MPI_Info_free(&info);
}
