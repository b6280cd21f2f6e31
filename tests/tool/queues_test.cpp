// The lengths of the queues of posted receives and unexpected messages, against a count by hand.

#include <random>
#include <vector>

#include "tests/support/ranks_test.h"
#include "tests/tool/open_tools.h"

using heddle::testing::OpenTools;
using heddle::testing::Pvar;

RANKS_TEST(Queues, AreAsLongAsThereAreReceivesAndMessages, ranks(1, 2, 4)) {
  OpenTools tools;
  Pvar posted("posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL);
  Pvar unexpected("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL);
  MPI_Comm own = MPI_COMM_NULL;  // of this rank alone, so nothing comes from elsewhere
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  const unsigned long long other_receives = posted.read(), other_messages = unexpected.read();
  std::mt19937 random(heddle::testing::seed());
  std::vector<MPI_Request> receives;
  std::vector<int> in(600);
  for (int i = 0; i < 300; ++i) {
    const bool any_source = random() % 4 == 0;
    const int tag = random() % 4 == 0 ? MPI_ANY_TAG : static_cast<int>(random() % 40);
    receives.emplace_back();
    MPI_Irecv(&in[i], 1, MPI_INT, any_source ? MPI_ANY_SOURCE : 0, tag, own, &receives.back());
    ASSERT_EQ(posted.read(), other_receives + receives.size());
  }
  // Those with a wildcard and others match first, so count what is done.
  int sent = 0;
  for (; sent < 500; ++sent) {
    MPI_Send(&sent, 1, MPI_INT, 0, static_cast<int>(random() % 40), own);
  }
  unsigned long long done = 0;
  for (MPI_Request& request : receives) {
    int flag = 0;
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    done += flag != 0;
  }
  EXPECT_EQ(posted.read(), other_receives + receives.size() - done);
  EXPECT_EQ(unexpected.read(), other_messages + static_cast<unsigned long long>(sent) - done);
  for (MPI_Request& request : receives) {
    int flag = 0;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (flag == 0) {
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  EXPECT_EQ(posted.read(), other_receives);
  for (unsigned long long left = static_cast<unsigned long long>(sent) - done; left > 0; --left) {
    ASSERT_EQ(unexpected.read(), other_messages + left);
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, own, MPI_STATUS_IGNORE);
  }
  EXPECT_EQ(unexpected.read(), other_messages);
  MPI_Comm_free(&own);
}

// A large message waits at its sender, and is one of the receiver's all the same.
RANKS_TEST(Queues, HaveMessagesThatWaitForTheirReceiver, ranks(2)) {
  OpenTools tools;
  std::vector<int> data(1 << 18, rank);
  if (rank == 0) {
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(data.data(), 1 << 18, MPI_INT, 1, 0, MPI_COMM_WORLD, &send);
    MPI_Send(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  } else {
    Pvar unexpected("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL);
    MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(unexpected.read(), 1u);
    MPI_Recv(data.data(), 1 << 18, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(unexpected.read(), 0u);
    EXPECT_EQ(data[77], 0);
  }
}
