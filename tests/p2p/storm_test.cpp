// Every rank to every rank, with random sizes, tags and ways to wait: nothing is lost or mixed up.

#include <algorithm>
#include <random>

#include "src/base/test_seeds.h"
#include "tests/p2p/payload.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

// What one rank has under way. Senders and receivers draw the same sizes from the same seed.
class Storm {
 public:
  Storm(int rank, int size, unsigned round) : rank_(rank), size_(size), round_(round) {}

  void start() {
    std::mt19937 order(static_cast<unsigned>(seed()) + round_ * 1000 +
                       static_cast<unsigned>(rank_));
    std::vector<int> peers;
    for (int i = 0; i < size_ * kEach; ++i) peers.push_back(i % size_);
    std::shuffle(peers.begin(), peers.end(), order);
    std::vector<int> sent(static_cast<std::size_t>(size_)), posted(sent);
    rooms_.reserve(peers.size());
    data_.reserve(peers.size());
    for (const int peer : peers) {
      const auto at = static_cast<std::size_t>(peer);
      receive(peer, posted[at]++);
      send(peer, sent[at]++, order);
    }
  }

  void finish(int way) {
    const int count = static_cast<int>(requests_.size());
    int left = count;
    std::vector<int> indices(requests_.size());
    while (left > 0) {
      int done = 0, flag = 0;
      switch (way) {
        case 0:
          MPI_Waitsome(count, requests_.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
          break;
        case 1:
          MPI_Testsome(count, requests_.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
          break;
        case 2:
          MPI_Waitany(count, requests_.data(), indices.data(), MPI_STATUS_IGNORE), done = 1;
          break;
        case 3:
          MPI_Testany(count, requests_.data(), indices.data(), &flag, MPI_STATUS_IGNORE),
              done = flag;
          break;
        default:
          MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), done = left;
      }
      left -= done;
    }
    for (const Room& room : rooms_) {
      EXPECT_TRUE(holds(room.bytes,
                        payload(bytes_of(room.peer, rank_, room.number), room.peer, room.number)));
    }
  }

 private:
  static constexpr int kEach = 6, kTags = 2;

  struct Room {
    int peer, number;
    Bytes bytes;
  };

  int bytes_of(int from, int to, int number) const {
    std::mt19937 random(static_cast<unsigned>(seed()) ^ (round_ << 16) ^
                        static_cast<unsigned>((from * 64 + to) * 64 + number));
    return kSizes[random() % (kSizes.size() - 1)];
  }
  void receive(int peer, int number) {
    const int bytes = bytes_of(peer, rank_, number);
    rooms_.push_back({peer, number, room_for(bytes)});
    requests_.emplace_back();
    MPI_Irecv(rooms_.back().bytes.data(), bytes, MPI_BYTE, peer, number % kTags, MPI_COMM_WORLD,
              &requests_.back());
  }
  void send(int peer, int number, std::mt19937& random) {
    const int bytes = bytes_of(rank_, peer, number);
    data_.push_back(payload(bytes, rank_, number));
    requests_.emplace_back();
    const auto isend = random() % 3 == 0 ? MPI_Issend : MPI_Isend;
    isend(data_.back().data(), bytes, MPI_BYTE, peer, number % kTags, MPI_COMM_WORLD,
          &requests_.back());
  }

  const int rank_, size_;
  const unsigned round_;
  std::vector<Room> rooms_;
  std::vector<Bytes> data_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

RANKS_TEST(Storm, EverybodyToEverybodyEveryWayToWait, ranks(1, 2, 4, 7)) {
  const auto rounds = static_cast<unsigned>(heddle::TestSeeds::rounds(10));
  for (unsigned round = 0; round < rounds; ++round) {
    Storm storm(rank, size, round);
    storm.start();
    storm.finish(static_cast<int>((seed() + round) % 5));
  }
}

RANKS_TEST(Storm, DeepQueuesOfUnexpectedMessages, ranks(2)) {
  constexpr int kMessages = 20000;
  if (rank == 0) {  // blocking ones would wait: another host keeps fewer (mpi/p2p/remote/credit.h)
    std::vector<int> values(kMessages);
    std::vector<MPI_Request> requests(kMessages);
    for (int i = 0; i < kMessages; ++i) {
      const auto at = static_cast<std::size_t>(i);
      values[at] = i;
      MPI_Isend(&values[at], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[at]);
    }
    MPI_Send(nullptr, 0, MPI_INT, 1, kMessages, MPI_COMM_WORLD);
    MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  MPI_Recv(nullptr, 0, MPI_INT, 0, kMessages, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::mt19937 random(static_cast<unsigned>(seed()));
  std::vector<int> tags;
  for (int i = 0; i < kMessages; ++i) tags.push_back(i);
  std::shuffle(tags.begin(), tags.end(), random);
  for (const int tag : tags) {
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ASSERT_EQ(value, tag);
  }
}
