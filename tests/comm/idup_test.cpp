// Duplicates whose request is waited for later (MPI 5.0 §7.4.2): as if MPI_Comm_dup had been called at that time.

#include <string>
#include <vector>

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

int class_of(int error) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(error, &error_class);
  return error_class;
}

int wait(MPI_Request& request) {
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

MPI_Comm idup_and_wait(MPI_Comm of) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(MPI_Comm_idup(of, &made, &request), MPI_SUCCESS);
  EXPECT_EQ(wait(request), MPI_SUCCESS);
  return made;
}

int compare(MPI_Comm a, MPI_Comm b) {
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(a, b, &result);
  return result;
}

// The numbers of a rank's attributes, and how often its copy callback ran.
struct Copies {
  int calls = 0;
  int answer = MPI_SUCCESS;
};

int copy_number(MPI_Comm, int, void* extra, void* value, void* out, int* flag) {
  auto& copies = *static_cast<Copies*>(extra);
  ++copies.calls;
  *static_cast<void**>(out) = value;
  *flag = 1;
  return copies.answer;
}

struct Key {
  explicit Key(Copies& copies) {
    MPI_Comm_create_keyval(copy_number, MPI_COMM_NULL_DELETE_FN, &number, &copies);
  }
  ~Key() { MPI_Comm_free_keyval(&number); }
  Key(const Key&) = delete;

  void set(MPI_Comm comm, std::intptr_t value) const {
    MPI_Comm_set_attr(comm, number, reinterpret_cast<void*>(value));
  }
  // -1: there is none.
  std::intptr_t get(MPI_Comm comm) const {
    void* value = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(comm, number, &value, &flag);
    return flag != 0 ? reinterpret_cast<std::intptr_t>(value) : -1;
  }

  int number = MPI_KEYVAL_INVALID;
};

std::string hint(MPI_Comm comm, const char* key) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_get_info(comm, &info);
  char value[64] = "";
  int flag = 0, length = sizeof value;
  MPI_Info_get_string(info, key, &length, value, &flag);
  MPI_Info_free(&info);
  return value;
}

}  // namespace

RANKS_TEST(Idup, GivesACommunicatorOfItsOwn, ranks(1, 2, 4, 7)) {
  MPI_Comm made = idup_and_wait(MPI_COMM_WORLD);
  EXPECT_EQ(compare(made, MPI_COMM_WORLD), MPI_CONGRUENT);
  EXPECT_EQ(members_of(made), count_up(size));
  expect_apart({MPI_COMM_WORLD, made});
  MPI_Comm_free(&made);
}

RANKS_TEST(Idup, ManyAreUnderWayOnOneParent, ranks(1, 2, 4, 7)) {
  constexpr int kMany = 40;
  std::vector<MPI_Comm> made(kMany, MPI_COMM_NULL);
  std::vector<MPI_Request> requests(kMany);
  std::vector<int> sums(kMany);
  for (int i = 0; i < kMany; ++i) {
    const auto which = static_cast<std::size_t>(i);
    if (i % 4 == 3) {  // other collectives come between
      MPI_Iallreduce(&rank, &sums[which], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[which]);
    } else {
      MPI_Comm_idup(MPI_COMM_WORLD, &made[which], &requests[which]);
    }
    if (i == kMany / 2) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 3; i < kMany; i += 4) {
    EXPECT_EQ(sums[static_cast<std::size_t>(i)], size * (size - 1) / 2);
  }
  std::erase(made, MPI_COMM_NULL);
  ASSERT_EQ(made.size(), kMany - kMany / 4);
  expect_apart(made);
  for (MPI_Comm& comm : made) MPI_Comm_free(&comm);
}

RANKS_TEST(Idup, IsOfTheParentAsItWasAtTheCall, ranks(1, 2, 4)) {
  MPI_Comm parent = MPI_COMM_NULL, made = MPI_COMM_NULL;
  const int sizes[] = {size}, periods[] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &parent);
  Copies copies;
  {
    const Key key(copies);
    key.set(parent, 5);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(parent, &made, &request);
    EXPECT_EQ(copies.calls, 1);
    key.set(parent, 6);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&parent);
    EXPECT_EQ(wait(request), MPI_SUCCESS);
    EXPECT_EQ(copies.calls, 1);
    EXPECT_EQ(key.get(made), 5);
    MPI_Comm_delete_attr(made, key.number);
  }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(made, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  int topology = MPI_UNDEFINED;
  MPI_Topo_test(made, &topology);
  EXPECT_EQ(topology, MPI_CART);
  EXPECT_EQ(members_of(made), count_up(size));
  MPI_Comm_free(&made);
}

RANKS_TEST(Idup, TakesItsHintsFromTheCall, ranks(1, 2, 4)) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm made = MPI_COMM_NULL, plain = MPI_COMM_NULL;
  MPI_Request requests[2];
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made, &requests[0]);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
  MPI_Info_free(&info);
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &plain, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(hint(made, "mpi_assert_no_any_tag"), "true");
  EXPECT_EQ(hint(plain, "mpi_assert_no_any_tag"), "false");
  MPI_Comm_free(&made);
  MPI_Comm_free(&plain);
}

RANKS_TEST(Idup, WorksOnIntercommunicators, ranks(2, 4, 7)) {
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int color = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 3, &between);
  MPI_Comm made[3];
  MPI_Request requests[3];
  for (int i = 0; i < 2; ++i) MPI_Comm_idup(between, &made[i], &requests[i]);
  MPI_Comm_dup(between, &made[2]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Comm& comm : made) {
    EXPECT_EQ(compare(comm, between), MPI_CONGRUENT);
    int sum = -1, expected = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int other = 1 - color; other < size; other += 2) expected += other;
    EXPECT_EQ(sum, expected);
  }
  for (MPI_Comm& comm : made) MPI_Comm_free(&comm);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

// The others get their communicators, and the parent goes on.
RANKS_TEST(Idup, ACopyCallbackThatFailsIsTheErrorOfItsRequest, ranks(1, 2, 4)) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Copies copies;
  const Key key(copies);
  key.set(parent, 5);
  const bool fails = rank == size - 1;
  if (fails) copies.answer = MPI_ERR_KEYVAL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_Comm_idup(parent, &made, &request);
  if (size > 1) {
    EXPECT_EQ(error, MPI_SUCCESS);
    error = wait(request);
  }
  EXPECT_EQ(class_of(error) != MPI_SUCCESS, fails);
  EXPECT_EQ(made == MPI_COMM_NULL, fails);
  copies.answer = MPI_SUCCESS;
  MPI_Comm next = idup_and_wait(parent);
  EXPECT_EQ(members_of(next), count_up(size));
  MPI_Comm_free(&next);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Comm_free(&parent);
}

RANKS_TEST(Idup, SaysWhichArgumentsAreWrong, ranks(2)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_EQ(class_of(MPI_Comm_idup(MPI_COMM_NULL, &made, &request)), MPI_ERR_COMM);
  EXPECT_EQ(class_of(MPI_Comm_idup(MPI_COMM_WORLD, nullptr, &request)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_Comm_idup(MPI_COMM_WORLD, &made, nullptr)), MPI_ERR_ARG);
  EXPECT_EQ(class_of(MPI_Comm_idup_with_info(MPI_COMM_WORLD, reinterpret_cast<MPI_Info>(&made),
                                             &made, &request)),
            MPI_ERR_INFO);
  EXPECT_EQ(made, MPI_COMM_NULL);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
}
