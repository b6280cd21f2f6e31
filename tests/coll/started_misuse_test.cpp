// Started collectives where the program or the memory fails (MPI 5.0 §6.12, §11.2.2).

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/coll/oracle.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using ::testing::HasSubstr;

std::string text_of(int error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

// Leaves the process no room for a stack. One rank's.
class TightMemory {
 public:
  TightMemory() {
    ::getrlimit(RLIMIT_AS, &before_);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlimit tight = {pages * 4096 + kLeft, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &tight);
  }
  ~TightMemory() { ::setrlimit(RLIMIT_AS, &before_); }
  TightMemory(const TightMemory&) = delete;

 private:
  static constexpr rlim_t kLeft = 64 << 10;

  rlimit before_;
};

}  // namespace

RANKS_TEST(Finalize, RefusesToEndARankWithACollectiveUnderWay, ranks(2, 4)) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "rest");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    MPI_Ibarrier(comm, &request);
    EXPECT_THAT(text_of(MPI_Finalize()),
                HasSubstr("MPI_Ibarrier on the communicator \"rest\" has"));
    int finalized = 1;
    MPI_Finalized(&finalized);
    EXPECT_EQ(finalized, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) MPI_Ibarrier(comm, &request);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

RANKS_TEST(Finalize, NamesThePersistentCollectiveThatIsUnderWay, ranks(2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  int value = rank;
  MPI_Bcast_init(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 0) {
    MPI_Start(&request);
    EXPECT_THAT(text_of(MPI_Finalize()), HasSubstr("MPI_Bcast_init on MPI_COMM_WORLD has"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) MPI_Start(&request);
  EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Request_free(&request);
  EXPECT_EQ(value, size - 1);
}

// MPI_Request_get_status says that it is done; the request is as before.
void until_done(MPI_Request request) {
  int done = 0;
  while (done == 0) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
}

RANKS_TEST(Started, MayBeFreedWhenDone, ranks(1, 2, 4)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  int sum = -1;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  until_done(request);
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_EQ(sum, size * (size - 1) / 2);

  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  until_done(request);
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);

  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  until_done(request);
  EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  EXPECT_EQ(MPI_Barrier(copy), MPI_SUCCESS);
  MPI_Comm_free(&copy);
}

// Each communicator needs a helper, and for a helper a stack.
RANKS_TEST(Started, NeedNoMemoryForAHelper, ranks(2, 4)) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  if (size > 0) return;  // sanitizers need memory of their own
#endif
  if (!heddle::testing::share_variables(size)) return;  // messages of other hosts need memory
  constexpr int kMany = 300;  // more than the stacks that earlier tests may have left
  std::vector<MPI_Comm> comms(kMany);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<MPI_Request> requests(kMany, MPI_REQUEST_NULL);
  Ints sums(kMany, -1);
  for (const MPI_Comm comm : comms) MPI_Barrier(comm);  // so that their host groups are made
  {
    std::unique_ptr<TightMemory> tight;
    if (rank == 0) tight = std::make_unique<TightMemory>();
    MPI_Barrier(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(MPI_Iallreduce(&rank, &sums[i], 1, MPI_INT, MPI_SUM, comms[i], &requests[i]),
                MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_EQ(MPI_Waitall(kMany, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(sums, Ints(kMany, size * (size - 1) / 2));
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}
