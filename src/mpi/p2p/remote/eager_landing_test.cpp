// Eager messages whose payload comes after their begin, over a network that asks where it goes.
#include "mpi/p2p/remote/eager_landing.h"

#include <numeric>
#include <vector>

#include "mpi/p2p/remote/two_hosts_test.h"

namespace heddle::p2p {
namespace {

constexpr int kValues = 200;

class EagerLandingTest : public ExchangeTest {
 protected:
  // `delay`: so many polls come at most between a packet and its delivery, or its begin and its end.
  explicit EagerLandingTest(int delay = 0)
      : ExchangeTest({.longest_delay = delay, .packet_bytes = kPacketBytes, .lands = true}) {
    std::iota(data_.begin(), data_.end(), 1);
  }

  void say_eager() {
    peer_->say(EagerPacket{.to = kMe, .context = context(), .source = kPeer, .tag = kTag}, data_);
  }
  transport::Traffic handled() {
    transport::Traffic sum;
    EXPECT_TRUE(gateway().all_sent(&sum));
    return sum;
  }

  std::vector<int> data_ = std::vector<int>(kValues);
};
class SlowLandingTest : public EagerLandingTest {
 protected:
  SlowLandingTest() : EagerLandingTest(20) {}
};

TEST_F(EagerLandingTest, GoesToThePostedBuffer) {
  std::vector<int> room(kValues + 1, -1);
  ReceiveRequest receive(ints(room), from_peer());
  begin(receive);
  say_eager();
  receive.wait();
  EXPECT_EQ(receive.outcome().bytes, kValues * static_cast<MPI_Count>(sizeof(int)));
  EXPECT_TRUE(std::equal(data_.begin(), data_.end(), room.begin()));
  EXPECT_EQ(room.back(), -1);
  EXPECT_EQ(handled().handled, 1u);
}

TEST_F(EagerLandingTest, OfALongerMessageOnlyWhatThereIsRoomForIsWritten) {
  for (const int values : {0, 3, kValues - 1}) {
    std::vector<int> room(kValues, -1);
    ReceiveRequest receive({room.data(), values, &datatype::named(MPI_INT)}, from_peer());
    begin(receive);
    say_eager();
    receive.wait();
    EXPECT_EQ(receive.verdict().error_class(), MPI_ERR_TRUNCATE);
    EXPECT_TRUE(std::equal(data_.begin(), data_.begin() + values, room.begin()));
    EXPECT_EQ(std::count(room.begin(), room.end(), -1), kValues - values);
  }
}

// A receive may come before the message, between its begin and its end, or after it.
TEST_F(SlowLandingTest, MessagesKeepTheirOrderHoweverLateTheyEnd) {
  for (int polls = 0; polls < 60; ++polls) {
    data_.front() = polls;
    say_eager();
    data_.front() = polls + 1000;
    say_eager();
    for (int i = 0; i < polls; ++i) ult::relax();
    for (const int first : {polls, polls + 1000}) {
      std::vector<int> room(kValues);
      ReceiveRequest receive(ints(room), from_peer());
      begin(receive);
      receive.wait();
      EXPECT_EQ(room.front(), first);
      EXPECT_TRUE(std::equal(data_.begin() + 1, data_.end(), room.begin() + 1));
    }
  }
}

// For leak checkers.
TEST_F(SlowLandingTest, MayBeUnderWayAtTheEnd) {
  for (int i = 0; i < 5; ++i) say_eager();
}

}  // namespace
}  // namespace heddle::p2p
