// Names and hints of communicators (MPI 5.0 §7.4.4, §7.8).

#include <mpi.h>

#include <cstring>
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

namespace {

// Each constructor that takes hints (MPI 5.0 §7.4.4, §8.5.4, §11.3), with its communicator of all ranks.
struct Constructor {
  const char* name;
  MPI_Comm (*make)(MPI_Info hints, int rank, int size);
};

MPI_Comm from_session(MPI_Info hints) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "hints", hints, MPI_ERRORS_RETURN, &made);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return made;
}

MPI_Comm ring(MPI_Info hints, int rank, int size, bool adjacent) {
  MPI_Comm made = MPI_COMM_NULL;
  const int one = 1, next = (rank + 1) % size, last = (rank + size - 1) % size;
  if (adjacent) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, hints, 0, &made);
  } else {
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, hints, 0, &made);
  }
  return made;
}

MPI_Comm split(int type, MPI_Info hints) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, hints, &made);
  return made;
}

constexpr Constructor kConstructors[] = {
    {"dup_with_info",
     [](MPI_Info hints, int, int) {
       MPI_Comm made = MPI_COMM_NULL;
       MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &made);
       return made;
     }},
    {"idup_with_info",
     [](MPI_Info hints, int, int) {
       MPI_Comm made = MPI_COMM_NULL;
       MPI_Request request = MPI_REQUEST_NULL;
       MPI_Comm_idup_with_info(MPI_COMM_WORLD, hints, &made, &request);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       return made;
     }},
    {"create_from_group", [](MPI_Info hints, int, int) { return from_session(hints); }},
    {"split_type shared",
     [](MPI_Info hints, int, int) { return split(MPI_COMM_TYPE_SHARED, hints); }},
    {"split_type guided",
     [](MPI_Info hints, int, int) { return split(MPI_COMM_TYPE_RESOURCE_GUIDED, hints); }},
    {"dist_graph_create",
     [](MPI_Info hints, int rank, int size) { return ring(hints, rank, size, false); }},
    {"dist_graph_create_adjacent",
     [](MPI_Info hints, int rank, int size) { return ring(hints, rank, size, true); }},
};

}  // namespace

RANKS_TEST(Hints, AreKeptByEachConstructorThatTakesThem, ranks(1, 2, 4)) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(hints, "mpi_pset_name", "mpi://WORLD");
  for (const Constructor& constructor : kConstructors) {
    for (const MPI_Info given : {hints, MPI_INFO_NULL}) {
      if (given == MPI_INFO_NULL && std::strstr(constructor.name, "guided") != nullptr) continue;
      if (given == MPI_INFO_NULL && std::strstr(constructor.name, "with_info") != nullptr) continue;
      MPI_Comm made = constructor.make(given, rank, size);
      ASSERT_NE(made, MPI_COMM_NULL) << constructor.name;
      EXPECT_EQ(hint_of(made, "mpi_assert_no_any_tag"), given == hints ? "true" : "false")
          << constructor.name;
      EXPECT_EQ(hint_of(made, "mpi_assert_exact_length"), "false") << constructor.name;
      MPI_Comm_free(&made);
    }
  }
  MPI_Info_free(&hints);
}
