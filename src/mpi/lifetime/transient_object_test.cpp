#include "mpi/lifetime/transient_object.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "base/test_yields.h"

namespace heddle::lifetime {
namespace {

// Counts how many are alive, so that a lost or doubled reference shows.
class Thing final : public TransientObject {
 public:
  Thing() noexcept : TransientObject(object::Kind::kRequest) { ++alive; }
  ~Thing() override { --alive; }

  static inline std::atomic<int> alive{0};
};

object::HandleBits publish_new() {
  return publish_in_slot(make_transient<Thing>().leak());
}
bool end(object::HandleBits handle) {
  TransientObject* const thing = retire_in_slot(object::Kind::kRequest, handle);
  if (thing != nullptr) thing->release();
  return thing != nullptr;
}

class TransientObjectTest : public ::testing::Test {
 protected:
  TransientObjectTest() { Rank::enter(&rank_); }
  ~TransientObjectTest() override { Rank::enter(nullptr); }

  Rank rank_{3};
};

TEST_F(TransientObjectTest, IsFoundUntilItIsRetired) {
  Thing* const thing = make_transient<Thing>().leak();
  const object::HandleBits handle = publish_in_slot(thing);
  EXPECT_EQ(find(object::Kind::kRequest, handle), thing);
  EXPECT_EQ(find(object::Kind::kMessage, handle), nullptr);
  EXPECT_EQ(object::from_int(object::to_int(handle)), handle);
  EXPECT_EQ(live_count(object::Kind::kRequest), 1u);
  EXPECT_EQ(retire_in_slot(object::Kind::kMessage, handle), nullptr);
  EXPECT_EQ(retire_in_slot(object::Kind::kRequest, handle), thing);
  EXPECT_EQ(find(object::Kind::kRequest, handle), nullptr);
  EXPECT_EQ(retire_in_slot(object::Kind::kRequest, handle), nullptr);
  EXPECT_EQ(object::from_int(object::to_int(handle)), 0u);
  EXPECT_EQ(live_count(object::Kind::kRequest), 0u);
  thing->release();
  EXPECT_EQ(Thing::alive, 0);
}

TEST_F(TransientObjectTest, APlaceIsUsedAgainAndItsOldHandlesAreNotFound) {
  std::set<object::HandleBits> freed;
  std::set<int> places;
  for (int i = 0; i < 1000; ++i) {
    const object::HandleBits handle = publish_new();
    EXPECT_TRUE(freed.insert(handle).second);
    places.insert(object::to_int(handle));
    EXPECT_TRUE(end(handle));
  }
  EXPECT_EQ(places.size(), 1u);
  const object::HandleBits last = publish_new();
  for (const object::HandleBits handle : freed) {
    EXPECT_EQ(find(object::Kind::kRequest, handle), nullptr);
    EXPECT_FALSE(end(handle));
  }
  EXPECT_TRUE(end(last));
}

TEST_F(TransientObjectTest, TheTableKnowsTheLastHandleOfASlot) {
  object::HandleTable table;
  table.prepare(object::Kind::kRequest, 7);
  object::HandleSlot& slot = *table.reserve().slot;
  EXPECT_EQ(slot.generation, 7u);
  slot.generation = 5;
  bool worn_out = true;
  EXPECT_TRUE(object::HandleTable::retire_at(slot, object::HandleBits{5} << 32, &worn_out));
  EXPECT_FALSE(worn_out);
  EXPECT_TRUE(object::HandleTable::retire_at(slot, object::HandleBits{6} << 32, &worn_out));
  EXPECT_TRUE(worn_out);
  EXPECT_FALSE(object::HandleTable::retire_at(slot, object::HandleBits{6} << 32, &worn_out));
}

// Two blocks of the same memory that are both free: what a double free makes of the list.
TEST_F(TransientObjectTest, ACacheNoticesATransientThatIsGivenBackTwice) {
  TransientCache& cache = TransientCache::of_strand();
  Transient* const first = cache.take();
  Transient* const second = cache.take();
  EXPECT_TRUE(cache.is_valid());
  cache.give_back(*second);
  EXPECT_TRUE(cache.is_valid());
  cache.give_back(*second);
  EXPECT_FALSE(cache.is_valid());
  // The list begins with the second one, which is its own successor. Take it out of there. What came behind
  // it is lost for good, and only `kept` still leads to that memory.
  EXPECT_EQ(cache.take(), second);
  EXPECT_EQ(cache.take(), second);
  [[gnu::used]] static Transient* kept;
  kept = first;
}

// More than a cache keeps, so that some are in batches and, after tidy(), in their chunks.
TEST_F(TransientObjectTest, APoolNoticesWhoWritesToWhatIsFree) {
  TransientPool& pool = TransientPool::of_rank();
  TransientCache& cache = TransientCache::of_strand();
  std::vector<Transient*> taken;
  for (unsigned i = 0; i < 8 * TransientCache::kBatch; ++i) taken.push_back(cache.take());
  EXPECT_TRUE(pool.is_valid());
  for (Transient* transient : taken) cache.give_back(*transient);
  for (int sorted = 0; sorted < 2; ++sorted) {
    EXPECT_TRUE(pool.is_valid());
    Transient* const victim = taken[10];
    const std::vector<std::byte> before(static_cast<std::byte*>(victim->storage()),
                                        static_cast<std::byte*>(victim->storage()) + 64);
    std::memset(victim->storage(), 0, 64);
    EXPECT_FALSE(pool.is_valid());
    std::memcpy(victim->storage(), before.data(), before.size());
    EXPECT_TRUE(pool.is_valid());
    pool.tidy();
  }
}

// Each strand works with things of its own and ends those of the others, in a race with their
// owners: each handle has one winner.
TEST_F(TransientObjectTest, StrandsFightForHandles) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  constexpr int kAtOnce = 16;
  std::array<std::atomic<object::HandleBits>, kAtOnce> shared{};
  std::atomic<int> made{0}, ended{0};
  const RandomYields yields;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Rank::enter(&rank_);
      std::mt19937 random(static_cast<unsigned>(t));
      RandomYields::seed(random());
      for (int i = 0; i < kRounds; ++i) {
        std::atomic<object::HandleBits>& slot = shared[random() % kAtOnce];
        if (random() % 2 == 0) {
          const object::HandleBits old = slot.exchange(publish_new());
          ++made;
          if (old != 0 && end(old)) ++ended;
        } else if (const object::HandleBits other = slot.load(); other != 0 && end(other)) {
          ++ended;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<object::HandleBits>& slot : shared) {
    if (slot != 0 && end(slot)) ++ended;
  }
  EXPECT_EQ(ended, made);
  EXPECT_EQ(Thing::alive, 0);
}

}  // namespace
}  // namespace heddle::lifetime
