// What operations use stays as long as they do, whenever another thread of the rank frees it, and no longer.
//
// Schedule points stand for the other strands: at each of them the test lets happen what a program
// may do then.

#include <gtest/gtest.h>

#include <functional>

#include "base/schedule_point.h"
#include "base/standing.h"
#include "mpi/datatype/make.h"
#include "mpi/lifetime/collector.h"
#include "mpi/p2p/buffered.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/probe.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/request/request.h"

namespace heddle::p2p {
namespace {

using datatype::Datatype;
using object::Ref;

constexpr int kTag = 3;
constexpr int kInts = 1 << 14;  // waits at the receiver: more than an eager message has

// Runs `other` at each schedule point where a strand may switch, until it says that it is through.
class AtSchedulePoints {
 public:
  explicit AtSchedulePoints(std::function<bool()> other) {
    other_ = std::move(other);
    schedule_point_hook = [] {
      if (!may(Act::kSwitch) || !other_) return;
      auto now = std::move(other_);  // not inside of itself
      other_ = nullptr;
      if (!now()) other_ = std::move(now);
    };
  }
  ~AtSchedulePoints() { schedule_point_hook = nullptr; }

  static bool through() { return !other_; }

 private:
  static inline std::function<bool()> other_;
};

class LifetimeTest : public ::testing::Test {
 protected:
  LifetimeTest() {
    Rank::enter(rank_.get());
    job_.process(0).receiver = std::make_unique<Port>(2);
    world::here() = {&host_, &job_.process(0)};
    auto group = Ref<group::Group>::adopt(new group::Group({&job_.process(0)}));
    comm_ =
        Ref<comm::Comm>::adopt(new comm::Comm(host_.context_ids().draw(), std::move(group), {}, 0));
    Datatype* made = nullptr;
    EXPECT_FALSE(datatype::make_vector(false, kInts, 1, 2, &ints(), &made));
    type_ = Ref<Datatype>::adopt(made);
  }
  ~LifetimeTest() override {
    type_ = {};
    comm_ = {};
    job_.process(0).receiver.reset();
    rank_.reset();
    Rank::enter(nullptr);
  }

  static Datatype& ints() { return const_cast<Datatype&>(datatype::named(MPI_INT)); }
  static std::uint64_t ended() { return collector().counters().reclaimed; }
  static lifetime::Collector& collector() { return lifetime::Collector::of_rank(); }

  Source source() const { return {comm_.get(), 0, kTag}; }
  Target target() const { return {comm_.get(), 0, kTag}; }
  datatype::Buffer spread() { return {spread_.data(), 1, type_.get()}; }
  datatype::Buffer dense() { return {dense_.data(), kInts, &ints()}; }

  // The program frees the datatype, and the collector looks.
  void free_type() {
    type_ = {};
    collector().finish();
  }

  // Once the message can be met: receives it, and the sender's program frees its datatype, which must
  // stay. False: not yet.
  bool receive_and_free_type(const Source& from, datatype::Buffer room) {
    match::Envelope found;
    if (!Port::here().peek(from.pattern(), &found)) return false;
    ReceiveRequest receive(room, from);
    EXPECT_TRUE(Port::here().receive(receive));
    free_type();
    EXPECT_EQ(ended(), 0u);
    return true;
  }

  std::unique_ptr<Rank> rank_ = std::make_unique<Rank>(0);
  world::Host host_{world::kFirstJob, 0, 1};
  world::Job& job_ = host_.job();
  Ref<comm::Comm> comm_;
  Ref<Datatype> type_;
  std::vector<int> spread_ = std::vector<int>(2 * kInts, -1), dense_ = std::vector<int>(kInts, 7);
};

TEST_F(LifetimeTest, AReceiveKeepsItsTypeFromTheMomentThatItCanBeMet) {
  const match::Key key = target().key();
  const AtSchedulePoints other([&, key, data = dense()] {
    if (!Port::here().offer_posted(key, data)) return false;
    free_type();  // the message's sender has told us that it was received
    EXPECT_EQ(ended(), 0u);
    return true;
  });
  EXPECT_FALSE(recv(spread(), source(), MPI_STATUS_IGNORE));
  EXPECT_TRUE(AtSchedulePoints::through());
  EXPECT_EQ(spread_[2], 7);
}

TEST_F(LifetimeTest, ASendKeepsItsTypeFromTheMomentThatItCanBeMet) {
  const AtSchedulePoints other(
      [&, from = source(), room = dense()] { return receive_and_free_type(from, room); });
  EXPECT_FALSE(send(spread(), target()));
  EXPECT_TRUE(AtSchedulePoints::through());
  EXPECT_EQ(dense_[1], -1);
}

TEST_F(LifetimeTest, ANonblockingSendKeepsItsTypeFromTheMomentThatItCanBeMet) {
  const AtSchedulePoints other(
      [&, from = source(), room = dense()] { return receive_and_free_type(from, room); });
  request::Request* request = nullptr;
  EXPECT_FALSE(isend(spread(), target(), &request));
  schedule_point();
  EXPECT_TRUE(AtSchedulePoints::through());
  Ref<request::Request>::adopt(request)->wait();
}

// A strand that learns that a message has been received may use its room in the buffer again. The receive is
// posted at one of the first schedule points of the send, as by another thread.
TEST_F(LifetimeTest, ABufferedMessagesRoomIsBackOnceItHasBeenReceived) {
  std::vector<std::byte> memory(sizeof(int) + MPI_BSEND_OVERHEAD);
  int value = 5, got = 0, met = 0;
  for (int at = 0; at < 8; ++at) {
    ASSERT_FALSE(attach_buffer({}, memory.data(), static_cast<MPI_Count>(memory.size())));
    request::Request* request = nullptr;
    int point = 0, sent = 0;
    const auto send = [&] {
      const Error error =
          send_buffered(job_.process(0), target().key(), {&value, 1, &ints()}, *comm_);
      EXPECT_FALSE(error) << "at schedule point " << at;
      if (!error) ++sent;
    };
    {
      const AtSchedulePoints other([&] {
        if (point++ == at) {
          EXPECT_FALSE(irecv({&got, 1, &ints()}, source(), &request));
        }
        if (request == nullptr || !request->done()) return false;
        send();
        return true;
      });
      send();
    }
    if (request != nullptr) {
      Ref<request::Request>::adopt(request)->wait();
      --sent;
      ++met;
    }
    while (sent-- > 0) EXPECT_FALSE(recv({&got, 1, &ints()}, source(), MPI_STATUS_IGNORE));
    void* address = nullptr;
    MPI_Count bytes = 0;
    EXPECT_FALSE(detach_buffer({}, &address, &bytes));
  }
  EXPECT_GT(met, 2);
}

// Another thread of the rank no longer finds the message, and frees the communicator.
TEST_F(LifetimeTest, AProbeThatTakesKeepsItsCommunicatorFromTheMomentThatItCanBeMet) {
  int value = 5, flag = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  const Source from = source();
  const match::Pattern pattern = from.pattern();
  EXPECT_FALSE(send({&value, 1, &ints()}, target()));
  const AtSchedulePoints other([&] {
    match::Envelope found;
    if (Port::here().peek(pattern, &found)) return false;
    comm_ = {};
    collector().finish();
    EXPECT_EQ(ended(), 0u);
    return true;
  });
  EXPECT_FALSE(improbe(from, &flag, &message, MPI_STATUS_IGNORE));
  EXPECT_TRUE(AtSchedulePoints::through());
  ASSERT_EQ(flag, 1);
  EXPECT_FALSE(mrecv({&value, 1, &ints()}, &message, MPI_STATUS_IGNORE, &comm_));
}

// A matched message becomes a receive while a cycle looks at one operation after the other.
TEST_F(LifetimeTest, ACycleNeverMissesTheCommunicatorOfAMatchedMessage) {
  if (lifetime::policy != lifetime::Policy::kCollector) GTEST_SKIP();
  for (int at = 0; at < 130; ++at) {
    auto group = Ref<group::Group>::adopt(new group::Group({&job_.process(0)}));
    auto comm =
        Ref<comm::Comm>::adopt(new comm::Comm(host_.context_ids().draw(), std::move(group), {}, 0));
    int value = 5, flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    EXPECT_FALSE(send({&value, 1, &ints()}, {comm.get(), 0, kTag}));
    EXPECT_FALSE(improbe({comm.get(), 0, kTag}, &flag, &message, MPI_STATUS_IGNORE));
    ASSERT_EQ(flag, 1);
    comm = {};  // the program frees it
    request::Request* request = nullptr;
    int point = 0;
    {
      const AtSchedulePoints other([&] {
        if (point++ < at) return false;
        EXPECT_FALSE(imrecv({&value, 1, &ints()}, &message, &request));
        return true;
      });
      collector().collect();
    }
    ASSERT_EQ(ended(), static_cast<std::uint64_t>(at)) << "at schedule point " << at;
    if (request == nullptr) {
      EXPECT_FALSE(imrecv({&value, 1, &ints()}, &message, &request));
    }
    Ref<request::Request>::adopt(request) = {};
    collector().finish();
  }
}

}  // namespace
}  // namespace heddle::p2p
