// When members take turns, and that a turn's values are those of its members. The collectives by turns: tests/coll.

#include "mpi/coll/turn.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "base/platform/clock.h"
#include "base/test_seeds.h"
#include "exec/ult/test_support.h"
#include "mpi/coll/bodies.h"
#include "mpi/coll/coll.h"
#include "mpi/lifetime/making.h"

namespace heddle::coll {
namespace {

using object::Ref;

constexpr int kMembers = 3;

// Ranks of one host with a communicator; rank i's worker is i % workers.
class Ranks {
 public:
  explicit Ranks(int workers) : workers_(workers) {
    for (int i = 0; i < kMembers; ++i) host_.job().process(i).worker = i % workers;
    for (int i = 0; i < kMembers; ++i) {
      auto& rank = ranks_[static_cast<std::size_t>(i)];
      rank = std::make_unique<Rank>(i);
      enter(i);
      group::Group::Members members;
      for (int j = 0; j < kMembers; ++j) members.push_back(&host_.job().process(j));
      const lifetime::Making making;
      auto group = Ref<group::Group>::adopt(new group::Group(std::move(members)));
      comms_[static_cast<std::size_t>(i)] =
          Ref<comm::Comm>::adopt(new comm::Comm(77, std::move(group), {}, i));
    }
    Rank::enter(nullptr);
  }
  ~Ranks() {
    for (int i = 0; i < kMembers; ++i) {
      enter(i);
      comms_[static_cast<std::size_t>(i)] = {};
      ranks_[static_cast<std::size_t>(i)].reset();
    }
    Rank::enter(nullptr);
  }

  template <class Body>
  void run(Body body) {
    ult::Ults ults;
    for (int i = 0; i < kMembers; ++i) {
      ults.run_on(i % workers_, [this, i, &body] {
        enter(i);
        body(i, *comms_[static_cast<std::size_t>(i)]);
        Rank::enter(nullptr);
      });
    }
    ults.join_all();
  }

 private:
  void enter(int i) {
    Rank::enter(ranks_[static_cast<std::size_t>(i)].get());
    world::here() = {&host_, &host_.job().process(i)};
  }

  const int workers_;
  world::Host host_{world::kFirstJob, 0, kMembers};
  std::array<std::unique_ptr<Rank>, kMembers> ranks_;
  std::array<Ref<comm::Comm>, kMembers> comms_;
};

// How many of `calls` barriers took no phase, at rank 0.
int turns_of(int workers, int calls) {
  const ult::ScopedScheduler scheduler(workers);
  Ranks ranks(workers);
  std::uint64_t phases = 0;
  ranks.run([&](int rank, comm::Comm& comm) {
    for (int i = 0; i < calls; ++i) EXPECT_FALSE(run(Barrier{comm}));
    if (rank == 0) phases = Seat::of(comm).phases;
  });
  return calls - static_cast<int>(phases);
}

constexpr int kMany = 20 * TurnRing::kTurns;

TEST(Turns, AreTakenWhereEachMemberHasAWorker) {
  EXPECT_GE(turns_of(kMembers, kMany), 15 * TurnRing::kTurns);
}

TEST(Turns, AreNotTakenWhereMembersShareAWorker) {
  EXPECT_EQ(turns_of(kMembers - 1, kMany), 0);
  EXPECT_EQ(turns_of(1, kMany), 0);
}

TEST(Turns, AreNotTakenAtFirst) {
  EXPECT_EQ(turns_of(kMembers, 3), 0);
}

// Each member gives a number that the others know; some sleep in between, so that readers park.
TEST(Turns, BringWhatMembersGive) {
  for (const unsigned seed : TestSeeds(7, 3)) {
    const ult::ScopedScheduler scheduler(kMembers, seed);
    Ranks ranks(kMembers);
    const int rounds = TestSeeds::rounds(40 * TurnRing::kTurns);
    ranks.run([&](int rank, comm::Comm& comm) {
      for (int i = 0; i < rounds; ++i) {
        if (i % 97 == 30 * rank) ult::sleep_until(platform::now_ns() + 300'000);
        Turn turn(comm);
        if (!turn) {
          ASSERT_FALSE(barrier_in(Ticket(comm, 1).phase()));
          continue;
        }
        turn.begin(call_of(What::kAllgather, 0, 0));
        const int own = 1000 * i + rank;
        turn.give(datatype::bytes_at(static_cast<const void*>(&own), sizeof own));
        for (int other = 0; other < kMembers; ++other) {
          ConstBuffer data;
          ASSERT_FALSE(turn.take(other, &data));
          ASSERT_EQ(data.bytes(), MPI_Count{sizeof own});
          EXPECT_EQ(*static_cast<const int*>(data.data), 1000 * i + other);
        }
        turn.end();
      }
    });
  }
}

TEST(Turns, TellThatTheRootOfABroadcastHasFailed) {
  const ult::ScopedScheduler scheduler(kMembers);
  Ranks ranks(kMembers);
  ranks.run([&](int rank, comm::Comm& comm) {
    for (int i = 0; i < static_cast<int>(kMany); ++i) {
      const int root = i % kMembers;
      const bool fails = i % 5 == 3;
      int value = rank == root ? i : -1;
      const Buffer data = datatype::bytes_at(static_cast<void*>(&value), sizeof value);
      const Error told =
          run(Bcast{data, root, comm, rank == root && fails ? MPI_ERR_NO_MEM : MPI_SUCCESS});
      if (rank == root) continue;
      EXPECT_EQ(told ? told.error_class() : MPI_SUCCESS, fails ? MPI_ERR_NO_MEM : MPI_SUCCESS);
      if (!fails) {
        EXPECT_EQ(value, i);
      }
    }
  });
}

}  // namespace
}  // namespace heddle::coll
