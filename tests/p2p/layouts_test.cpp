// Blocking receives into buffers in short runs: a payload from another core may come packed (src/mpi/p2p/receive_request.h).

#include <algorithm>
#include <string>

#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// Runs of `length` bytes with gaps of as many.
struct Runs {
  int count, length;
  int bytes() const { return count * length; }
};

// Around the least and the longest run that go packed, the eager limit, and what both cores copy.
const std::vector<Runs> kRuns = {{1, 8},    {31, 8},   {32, 8},    {33, 8},   {128, 8},
                                 {512, 8},  {513, 8},  {4096, 8},  {4097, 8}, {20000, 8},
                                 {333, 24}, {16, 512}, {16, 1024}, {7, 3}};

MPI_Datatype type_of(Runs runs) {
  MPI_Datatype type;
  MPI_Type_vector(runs.count, runs.length, 2 * runs.length, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

Bytes spread(const Bytes& data, Runs runs) {
  Bytes all(static_cast<std::size_t>(2 * runs.bytes()), 0xEE);
  for (int i = 0; i < static_cast<int>(data.size()); ++i) {
    all[static_cast<std::size_t>(i / runs.length * 2 * runs.length + i % runs.length)] =
        data[static_cast<std::size_t>(i)];
  }
  return all;
}

constexpr int kGo = 1, kData = 0;

// Rank 1's receive is posted when rank 0 sends, or rank 0 does not wait for it.
void receive(Bytes& room, MPI_Datatype type, bool posted_first, int expected_class,
             int expected_bytes) {
  MPI_Status status;
  const int code = posted_first ? MPI_Sendrecv(nullptr, 0, MPI_BYTE, 0, kGo, room.data(), 1, type,
                                               0, kData, MPI_COMM_WORLD, &status)
                                : MPI_Recv(room.data(), 1, type, 0, kData, MPI_COMM_WORLD, &status);
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  EXPECT_EQ(error_class, expected_class);
  EXPECT_EQ(count_of(status, MPI_BYTE), expected_bytes);
}

}  // namespace

RANKS_TEST(Layouts, InShortRunsAreFilledAndNothingElse, ranks(2)) {
  for (const Runs runs : kRuns) {
    MPI_Datatype type = type_of(runs);
    for (const bool posted_first : {false, true}) {
      for (const bool from_runs : {false, true}) {
        SCOPED_TRACE(std::to_string(runs.count) + " runs of " + std::to_string(runs.length));
        const Bytes data = payload(runs.bytes(), 0, from_runs);
        if (rank == 1) {
          Bytes room = spread({}, runs);
          receive(room, type, posted_first, MPI_SUCCESS, runs.bytes());
          EXPECT_EQ(room, spread(data, runs));
          continue;
        }
        if (posted_first) MPI_Recv(nullptr, 0, MPI_BYTE, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (from_runs) {
          const Bytes all = spread(data, runs);
          MPI_Send(all.data(), 1, type, 1, kData, MPI_COMM_WORLD);
        } else {
          MPI_Send(data.data(), runs.bytes(), MPI_BYTE, 1, kData, MPI_COMM_WORLD);
        }
      }
    }
    MPI_Type_free(&type);
  }
}

RANKS_TEST(Layouts, InShortRunsGetPartsAndTheBeginningsOfLongerMessages, ranks(2)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const Runs runs : kRuns) {
    MPI_Datatype type = type_of(runs);
    for (const bool posted_first : {false, true}) {
      for (const int bytes : {0, runs.bytes() / 2 + 1, runs.bytes() + 100}) {
        SCOPED_TRACE(std::to_string(bytes) + " bytes to " + std::to_string(runs.bytes()));
        Bytes data = payload(bytes, 0, 2);
        if (rank == 0) {
          if (posted_first)
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(data.data(), bytes, MPI_BYTE, 1, kData, MPI_COMM_WORLD);
          continue;
        }
        const int delivered = std::min(bytes, runs.bytes());
        Bytes room = spread({}, runs);
        receive(room, type, posted_first, delivered < bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS,
                delivered);
        data.resize(static_cast<std::size_t>(delivered));
        EXPECT_EQ(room, spread(data, runs));
      }
    }
    MPI_Type_free(&type);
  }
}

// The type overlaps itself, so the data fit into one int of the sender's memory.
RANKS_TEST(Layouts, LongerThanAnyMemoryAreRefused, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int number = 7;
  MPI_Datatype type;
  MPI_Type_vector_c(MPI_Count{1} << 54, 1, 0, MPI_INT, &type);
  MPI_Type_commit(&type);
  EXPECT_EQ(MPI_Send(&number, 4, type, 0, kData, MPI_COMM_WORLD), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Send_c(&number, 4, type, 0, kData, MPI_COMM_WORLD), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Bcast(&number, 1 << 30, type, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  MPI_Type_free(&type);
}
