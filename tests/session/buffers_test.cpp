// Which of the attached buffers a buffered send takes: the communicator's, its session's, or the process's (MPI 5.0 §3.6).
// The buffers have different sizes, so what fits tells which one was taken.

#include <cstdint>
#include <vector>

#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kBytes = 4000;

class Buffer {
 public:
  explicit Buffer(int messages) : room_(static_cast<std::size_t>(messages * (kBytes + 600))) {}
  void* data() { return room_.data(); }
  int size() const { return static_cast<int>(room_.size()); }

 private:
  std::vector<char> room_;
};

MPI_Session open() {
  MPI_Session session = MPI_SESSION_NULL;
  EXPECT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  return session;
}

MPI_Group world_of(MPI_Session session) {
  MPI_Group group = MPI_GROUP_NULL;
  EXPECT_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
  return group;
}

MPI_Comm comm_of(MPI_Group group, const char* tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
            MPI_SUCCESS);
  return comm;
}

MPI_Comm comm_of(MPI_Session session, const char* tag) {
  MPI_Group group = world_of(session);
  MPI_Comm comm = comm_of(group, tag);
  MPI_Group_free(&group);
  return comm;
}

void attach(MPI_Session session, Buffer& buffer) {
  EXPECT_EQ(MPI_Session_attach_buffer(session, buffer.data(), buffer.size()), MPI_SUCCESS);
}

void* detach(MPI_Session session) {
  void* address = nullptr;
  int bytes = -1;
  EXPECT_EQ(MPI_Session_detach_buffer(session, &address, &bytes), MPI_SUCCESS);
  return address;
}

// How many messages to itself fit, up to `most`; they are received again.
int messages_that_fit(MPI_Comm comm, int most = 9) {
  int rank = 0, sent = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<char> data(kBytes);
  while (sent < most && MPI_Bsend(data.data(), kBytes, MPI_BYTE, rank, 0, comm) == MPI_SUCCESS) {
    ++sent;
  }
  for (int i = 0; i < sent; ++i) {
    MPI_Recv(data.data(), kBytes, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE);
  }
  return sent;
}

}  // namespace

RANKS_TEST(SessionBuffer, IsForCommunicatorsOfItsSession, ranks(1, 3)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Session one = open(), other = open();
  MPI_Comm of_one = comm_of(one, "one"), of_other = comm_of(other, "other");
  Buffer process(1), session(2), comm(3);
  EXPECT_EQ(messages_that_fit(of_one), 0);
  attach(one, session);
  EXPECT_EQ(messages_that_fit(of_one), 2);
  EXPECT_EQ(messages_that_fit(of_other), 0);
  EXPECT_EQ(messages_that_fit(MPI_COMM_WORLD), 0);

  EXPECT_EQ(MPI_Buffer_attach(process.data(), process.size()), MPI_SUCCESS);
  EXPECT_EQ(messages_that_fit(of_one), 2);
  EXPECT_EQ(messages_that_fit(of_other), 1);
  EXPECT_EQ(messages_that_fit(MPI_COMM_WORLD), 1);

  EXPECT_EQ(MPI_Comm_attach_buffer(of_one, comm.data(), comm.size()), MPI_SUCCESS);
  EXPECT_EQ(messages_that_fit(of_one), 3);
  void* address = nullptr;
  int bytes = 0;
  EXPECT_EQ(MPI_Comm_detach_buffer(of_one, &address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(messages_that_fit(of_one), 2);
  EXPECT_EQ(detach(one), session.data());
  EXPECT_EQ(messages_that_fit(of_one), 1);
  EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_SUCCESS);
  MPI_Comm_free(&of_one);
  MPI_Comm_free(&of_other);
  MPI_Session_finalize(&one);
  MPI_Session_finalize(&other);
}

// However a communicator was made, it comes from the session of its group.
RANKS_TEST(SessionBuffer, IsForWhatIsMadeOfTheSessionsGroups, ranks(2, 5)) {
  MPI_Session session = open();
  Buffer buffer(2);
  attach(session, buffer);
  MPI_Group world = world_of(session), part, all;
  MPI_Comm base = comm_of(world, "base"), made = MPI_COMM_NULL;
  const auto check = [&](const char* how) {
    SCOPED_TRACE(how);
    if (made == MPI_COMM_NULL) return;
    EXPECT_EQ(messages_that_fit(made), 2);
    MPI_Comm_free(&made);
  };
  MPI_Comm_dup(base, &made);
  check("dup");
  MPI_Request request;
  MPI_Comm_idup(base, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check("idup");
  MPI_Comm_split(base, rank % 2, 0, &made);
  check("split");
  MPI_Comm_split_type(base, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  check("split_type");
  const int dims = size - 1, periods = 0;
  MPI_Cart_create(base, 1, &dims, &periods, 0, &made);
  check("cart_create");
  MPI_Group_excl(world, 1, &dims, &part);
  MPI_Comm_create(base, part, &made);
  check("create");
  if (rank < size - 1) MPI_Comm_create_group(base, part, 0, &made);
  check("create_group");
  MPI_Group_union(MPI_GROUP_EMPTY, world, &all);
  made = comm_of(all, "union");
  check("union");
  MPI_Group_free(&all);
  MPI_Comm_group(base, &all);
  made = comm_of(all, "group of a communicator");
  check("group of a communicator");
  for (MPI_Group* group : {&all, &part, &world}) MPI_Group_free(group);
  MPI_Comm_free(&base);
  EXPECT_EQ(detach(session), buffer.data());
  MPI_Session_finalize(&session);
}

RANKS_TEST(SessionBuffer, IsForIntercommunicatorsAndTheirMerges, ranks(2, 5)) {
  MPI_Session session = open();
  Buffer buffer(2);
  attach(session, buffer);
  MPI_Comm base = comm_of(session, "base"), side, inter, merged;
  MPI_Comm_split(base, rank % 2, 0, &side);
  ASSERT_EQ(MPI_Intercomm_create(side, 0, base, 1 - rank % 2, 7, &inter), MPI_SUCCESS);
  MPI_Group remote;
  MPI_Comm_remote_group(inter, &remote);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  EXPECT_EQ(messages_that_fit(merged), 2);
  // Each sends to the first of the other side, which receives once all have sent.
  int local = 0, others = 0, fit = 0;
  std::vector<char> data(kBytes);
  while (fit < 9 && MPI_Bsend(data.data(), kBytes, MPI_BYTE, 0, 0, inter) == MPI_SUCCESS) ++fit;
  EXPECT_EQ(fit, 2);
  MPI_Barrier(base);
  MPI_Comm_rank(inter, &local);
  MPI_Comm_remote_size(inter, &others);
  for (int i = 0; local == 0 && i < 2 * others; ++i) {
    MPI_Recv(data.data(), kBytes, MPI_BYTE, MPI_ANY_SOURCE, 0, inter, MPI_STATUS_IGNORE);
  }
  EXPECT_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
  MPI_Group_free(&remote);
  for (MPI_Comm* comm : {&merged, &inter, &side, &base}) MPI_Comm_free(comm);
  EXPECT_EQ(detach(session), buffer.data());
  MPI_Session_finalize(&session);
}

RANKS_TEST(SessionBuffer, IsFlushed, ranks(1)) {
  MPI_Session session = open();
  MPI_Comm comm = comm_of(session, "flushed");
  Buffer buffer(2);
  attach(session, buffer);
  std::vector<char> data(kBytes);
  MPI_Bsend(data.data(), kBytes, MPI_BYTE, 0, 0, comm);
  MPI_Request request;
  int flag = 1;
  EXPECT_EQ(MPI_Session_iflush_buffer(session, &request), MPI_SUCCESS);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Recv(data.data(), kBytes, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
  void* address = nullptr;
  MPI_Count bytes = 0;
  EXPECT_EQ(MPI_Session_detach_buffer_c(session, &address, &bytes), MPI_SUCCESS);
  EXPECT_EQ(address, buffer.data());
  EXPECT_EQ(bytes, buffer.size());
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

RANKS_TEST(SessionBuffer, MayBeAutomatic, ranks(1)) {
  MPI_Session session = open();
  MPI_Comm comm = comm_of(session, "automatic");
  EXPECT_EQ(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, -7), MPI_SUCCESS);
  EXPECT_EQ(messages_that_fit(comm, 50), 50);
  EXPECT_EQ(detach(session), MPI_BUFFER_AUTOMATIC);
  EXPECT_EQ(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, -7), MPI_SUCCESS);
  EXPECT_EQ(detach(session), MPI_BUFFER_AUTOMATIC);
  EXPECT_EQ(messages_that_fit(comm), 0);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

RANKS_TEST(SessionBuffer, OfWhichThereIsOne, ranks(1)) {
  MPI_Session session = open();
  Buffer buffer(1), second(1);
  void* address = nullptr;
  int bytes = 0;
  MPI_Request request;
  EXPECT_EQ(MPI_Session_detach_buffer(session, &address, &bytes), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Session_flush_buffer(session), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Session_iflush_buffer(session, &request), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Session_attach_buffer(session, buffer.data(), -1), MPI_ERR_ARG);
  attach(session, buffer);
  EXPECT_EQ(MPI_Session_attach_buffer(session, second.data(), second.size()), MPI_ERR_BUFFER);
  EXPECT_EQ(detach(session), buffer.data());
  MPI_Session_finalize(&session);
}

RANKS_TEST(SessionBuffer, EndsWithItsSession, ranks(1)) {
  Buffer buffer(1);
  for (int i = 0; i < 100; ++i) {
    MPI_Session session = open();
    MPI_Comm comm = comm_of(session, "ends");
    EXPECT_EQ(messages_that_fit(comm), 0);
    attach(session, buffer);
    EXPECT_EQ(messages_that_fit(comm), 1);
    MPI_Comm_free(&comm);
    EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  }
}
