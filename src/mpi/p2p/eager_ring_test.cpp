// Ring messages (mpi/match/eager_ring.h) between two ranks whose strands spin, park and wake each other; with forced yields.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/test_support.h"
#include "mpi/lifetime/collector.h"
#include "mpi/p2p/port.h"
#include "mpi/p2p/probe.h"
#include "mpi/p2p/receive.h"
#include "mpi/p2p/send.h"
#include "mpi/p2p/sendrecv.h"
#include "mpi/request/request.h"

namespace heddle::p2p {
namespace {

using object::Ref;

// Two ranks of a host, each with strands that a test runs.
class TwoRanks {
 public:
  TwoRanks() {
    const std::uint64_t context = host_.context_ids().draw();
    for (int i = 0; i < 2; ++i) {
      job_.process(i).receiver = std::make_unique<Port>(2);
      ranks_[i] = std::make_unique<Rank>(i);
      Rank::enter(ranks_[i].get());
      world::here() = {&host_, &job_.process(i)};
      auto group = Ref<group::Group>::adopt(new group::Group({&job_.process(0), &job_.process(1)}));
      comms_[i] = Ref<comm::Comm>::adopt(new comm::Comm(context, std::move(group), {}, i));
    }
    Rank::enter(nullptr);
  }
  ~TwoRanks() {
    for (int i = 0; i < 2; ++i) {
      Rank::enter(ranks_[i].get());
      comms_[i] = {};
      lifetime::Collector::of_rank().finish();  // as MPI_Finalize does
      job_.process(i).receiver.reset();
      ranks_[i].reset();
    }
    Rank::enter(nullptr);
  }

  // `body` as a strand of that rank.
  void run(ult::Ults& ults, int worker, int rank, std::function<void(comm::Comm*)> body) {
    ults.run_on(worker, [this, rank, body = std::move(body)] {
      Rank::enter(ranks_[rank].get());
      body(comms_[rank].get());
      Rank::enter(nullptr);
    });
  }

 private:
  world::Host host_{world::kFirstJob, 0, 2};
  world::Job& job_ = host_.job();
  std::array<std::unique_ptr<Rank>, 2> ranks_;
  std::array<Ref<comm::Comm>, 2> comms_;
};

datatype::ConstBuffer bytes_at(const void* data, MPI_Count bytes) {
  return {data, bytes, &datatype::named(MPI_BYTE)};
}
datatype::Buffer room_at(void* data, MPI_Count bytes) {
  return {data, bytes, &datatype::named(MPI_BYTE)};
}

// What message `number` with this tag has, and how long it is.
struct Payload {
  static constexpr MPI_Count kMost = 3000;
  Payload(int number, unsigned kind) : bytes(kLengths[kind % std::size(kLengths)]) {
    for (MPI_Count i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(number * 31 + i);
  }
  static constexpr MPI_Count kLengths[] = {8, 8, 8, 4, 0, 108, 109, 256, 300, 3000};
  MPI_Count bytes;
  unsigned char data[kMost];
};

void send_one(const Payload& payload, const Target& to, unsigned how) {
  const datatype::ConstBuffer data = bytes_at(payload.data, payload.bytes);
  if (how % 8 == 0) {
    EXPECT_FALSE(ssend(data, to));
  } else {
    EXPECT_FALSE(send(data, to));
  }
}

void check(const Payload& expected, const MPI_Status& status, const unsigned char* room) {
  ASSERT_EQ(request::bytes_of(status), expected.bytes);
  for (MPI_Count i = 0; i < expected.bytes; ++i) ASSERT_EQ(room[i], expected.data[i]);
}

// Sends the message and receives the other rank's, in one of several ways.
MPI_Status swap_one(const Payload& payload, const Target& to, const Source& from,
                    datatype::Buffer room, std::mt19937& random) {
  MPI_Status status;
  switch (random() % 8) {
    case 0: {
      ReceiveRequest receive(room, from);
      begin(receive, random() % 2 == 0);
      send_one(payload, to, 2);
      if (random() % 2 == 0) receive.stand_alone();
      receive.wait();
      request::write_status(&status, receive.outcome());
      break;
    }
    case 1: {
      ReceiveRequest receive(room, from);
      begin(receive, true);
      send_one(payload, to, 2);
      while (!receive.done()) ult::yield();
      request::write_status(&status, receive.outcome());
      break;
    }
    case 2: {
      send_one(payload, to, 2);
      int flag = 0;
      while (!flag) {
        EXPECT_FALSE(iprobe(from, &flag, &status));
      }
      EXPECT_EQ(status.MPI_TAG, to.tag);
      EXPECT_FALSE(recv(room, from, &status));
      break;
    }
    case 3: {
      send_one(payload, to, to.rank == 1 ? random() : 2);
      EXPECT_FALSE(probe(from, &status));
      EXPECT_FALSE(recv(room, from, &status));
      break;
    }
    case 4: {  // one that is cancelled
      ReceiveRequest receive(room, from);
      begin(receive, true);
      receive.cancel();
      receive.wait();
      send_one(payload, to, 2);
      if (receive.outcome().cancelled) {
        EXPECT_FALSE(recv(room, from, &status));
      } else {
        request::write_status(&status, receive.outcome());
      }
      break;
    }
    default:
      EXPECT_FALSE(sendrecv(bytes_at(payload.data, payload.bytes), to, room, from, &status));
  }
  return status;
}

// Both ranks send each other the same messages of several tags, and receive them in ways that change at random: a
// receive of any tag finds out which comes first, and others know.
void talk(comm::Comm* comm, int me, unsigned seed, int messages) {
  constexpr int kTags = 3;
  std::mt19937 script(seed);  // the same at both
  std::mt19937 random(seed + 77 + static_cast<unsigned>(me));
  std::vector<unsigned char> room(Payload::kMost);
  for (int i = 0; i < messages; ++i) {
    const int tag = static_cast<int>(script() % kTags);
    const Payload payload(i, script());
    const Target to{comm, 1 - me, tag};
    const Source from{comm, random() % 16 == 0 ? MPI_ANY_SOURCE : 1 - me,
                      random() % 16 == 0 ? MPI_ANY_TAG : tag};
    const MPI_Status status =
        swap_one(payload, to, from, room_at(room.data(), Payload::kMost), random);
    EXPECT_EQ(status.MPI_TAG, tag);
    check(payload, status, room.data());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

unsigned any_seed() {
  return std::random_device{}();
}

TEST(EagerRing, RanksThatTalkInAllWaysGetTheirMessagesInOrder) {
  for (const unsigned seed : TestSeeds(any_seed(), kSanitized ? 4 : 12)) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    for (const int workers : {2, 1}) {
      ult::ScopedScheduler scheduler(workers, seed % 3 == 0 ? 0 : seed);
      TwoRanks two;
      ult::Ults ults;
      for (int rank : {0, 1}) {
        two.run(ults, rank % workers, rank,
                [=](comm::Comm* comm) { talk(comm, rank, seed, TestSeeds::rounds(400)); });
      }
      ults.join_all();
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// Strands of one rank wait in the same lane at once, and in others.
TEST(EagerRing, StrandsOfARankThatWaitAtOnceGetOneMessageEach) {
  constexpr int kStrands = 3;
  for (const unsigned seed : TestSeeds(any_seed(), kSanitized ? 4 : 12)) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const int each = TestSeeds::rounds(300);
    std::vector<std::atomic<int>> got(static_cast<std::size_t>(each * kStrands));
    ult::ScopedScheduler scheduler(2, seed % 3 == 0 ? 0 : seed);
    TwoRanks two;
    ult::Ults ults;
    std::atomic<int> next{0};
    for (int strand = 0; strand < kStrands; ++strand) {
      two.run(ults, 0, 0, [&, strand](comm::Comm* comm) {
        for (int i = 0; i < each; ++i) {
          int number = -1, answer = -1;
          ReceiveRequest other(room_at(&answer, sizeof answer), {comm, 1, 10 + strand});
          begin(other, true);
          EXPECT_FALSE(recv(room_at(&number, sizeof number), {comm, 1, 5}, MPI_STATUS_IGNORE));
          ASSERT_TRUE(number >= 0 && number < each * kStrands);
          ++got[static_cast<std::size_t>(number)];
          EXPECT_FALSE(send(bytes_at(&number, sizeof number), {comm, 1, 10 + strand}));
          other.wait();
          EXPECT_EQ(answer, number);
        }
      });
      two.run(ults, 1, 1, [&, strand](comm::Comm* comm) {
        for (int i = 0; i < each; ++i) {
          const int number = next++;
          int theirs = -1;
          EXPECT_FALSE(send(bytes_at(&number, sizeof number), {comm, 0, 5}));
          EXPECT_FALSE(
              recv(room_at(&theirs, sizeof theirs), {comm, 0, 10 + strand}, MPI_STATUS_IGNORE));
          EXPECT_FALSE(send(bytes_at(&theirs, sizeof theirs), {comm, 0, 10 + strand}));
        }
      });
    }
    ults.join_all();
    for (const std::atomic<int>& count : got) EXPECT_EQ(count, 1);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::p2p
