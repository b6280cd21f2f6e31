// Communicators that different hosts make at the same time do not get each other's messages.

#include "tests/comm/members.h"
#include "tests/support/ranks_test.h"

namespace {

// The two ranks, in this order, so that the first one's host draws the context.
MPI_Comm pair_of(int first, int second) {
  MPI_Group world = MPI_GROUP_NULL, pair = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int ranks[] = {first, second};
  MPI_Group_incl(world, 2, ranks, &pair);
  MPI_Comm made = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, pair, 0, &made), MPI_SUCCESS);
  MPI_Group_free(&pair);
  MPI_Group_free(&world);
  return made;
}

struct Pair {
  MPI_Comm comm;
  int partner;  // in MPI_COMM_WORLD
};

// Every rank tells each partner its rank, on their communicator, with the same tag; received in the
// other order.
void expect_pairs_apart(int rank, const std::vector<Pair>& pairs) {
  std::vector<MPI_Request> requests;
  for (const Pair& pair : pairs) {
    int mine = -1;
    MPI_Comm_rank(pair.comm, &mine);
    requests.emplace_back();
    MPI_Isend(&rank, 1, MPI_INT, 1 - mine, 3, pair.comm, &requests.back());
  }
  for (std::size_t i = pairs.size(); i-- > 0;) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, pairs[i].comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, pairs[i].partner);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

// Each rank has a communicator with each other one; about half of them were drawn by its own host, the
// others by as many other hosts as there are. Hosts that drew without regard to each other would have
// drawn the same.
RANKS_TEST(Contexts, DrawnByDifferentHostsStayApart, ranks(2, 4, 7)) {
  std::vector<Pair> pairs;
  for (int low = 0; low < size; ++low) {
    for (int high = low + 1; high < size; ++high) {
      if (rank != low && rank != high) continue;
      const bool low_draws = (low + high) % 2 == 0;
      pairs.push_back({low_draws ? pair_of(low, high) : pair_of(high, low), low + high - rank});
    }
  }
  for (int i = 0; i < 3; ++i) expect_pairs_apart(rank, pairs);
  for (Pair& pair : pairs) MPI_Comm_free(&pair.comm);
}

// Each rank makes copies of MPI_COMM_SELF in its own time, and all of MPI_COMM_WORLD.
RANKS_TEST(Contexts, OfOwnAndCommonCommunicatorsStayApart, ranks(2, 4, 7)) {
  std::vector<MPI_Comm> comms;
  for (int i = 0; i < 20; ++i) {
    comms.emplace_back();
    const bool common = i % 4 == 3;
    ASSERT_EQ(MPI_Comm_dup(common ? MPI_COMM_WORLD : MPI_COMM_SELF, &comms.back()), MPI_SUCCESS);
    // A rank with a high number has drawn more.
    for (int more = 0; more < rank; ++more) {
      MPI_Comm unused = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_SELF, &unused);
      MPI_Comm_free(&unused);
    }
  }
  heddle::testing::expect_apart(comms);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}
