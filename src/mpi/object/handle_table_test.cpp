#include "mpi/object/handle_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/test_yields.h"

namespace heddle::object {
namespace {

// Counts how many are alive, so that a lost or doubled reference shows.
class Thing final : public Object {
 public:
  explicit Thing(Kind kind = Kind::kOp, Lifetime lifetime = Lifetime::kCounted) noexcept
      : Object(kind, lifetime) {
    ++alive;
  }
  ~Thing() override { --alive; }
  using Object::Lifetime;

  static inline std::atomic<int> alive{0};
};

class HandleTableTest : public ::testing::Test {
 protected:
  HandleTableTest() { Rank::enter(&rank_); }
  ~HandleTableTest() override { Rank::enter(nullptr); }

  Rank rank_{3};
};

// What find() finds, having seen that the quick way finds the same or nothing.
Object* found(Kind kind, HandleBits handle) {
  Object* const object = find(kind, handle);
  Object* const quickly = find_at_once<Object>(kind, handle);
  if (quickly != nullptr) {
    EXPECT_EQ(quickly, object);
  }
  return object;
}

TEST_F(HandleTableTest, FindsWhatWasPublishedUntilItIsRetired) {
  auto* thing = new Thing();
  const HandleBits handle = publish(thing);
  EXPECT_EQ(found(Kind::kOp, handle), thing);
  EXPECT_EQ(thing->handle(), handle);
  EXPECT_EQ(live_count(Kind::kOp), 1u);
  EXPECT_EQ(retire(Kind::kOp, handle), thing);
  EXPECT_EQ(found(Kind::kOp, handle), nullptr);
  EXPECT_EQ(retire(Kind::kOp, handle), nullptr);
  EXPECT_EQ(thing->handle(), 0u);
  EXPECT_EQ(live_count(Kind::kOp), 0u);
  thing->release();
  EXPECT_EQ(Thing::alive, 0);
}

TEST_F(HandleTableTest, FindsTheFirstSixteenAtOnce) {
  for (int i = 0; i < 32; ++i) {
    auto* thing = new Thing();
    const HandleBits handle = publish(thing);
    EXPECT_EQ(find_at_once<Thing>(Kind::kOp, handle), i < 16 ? thing : nullptr);
  }
}

TEST_F(HandleTableTest, NeverFindsAFreedHandleAgainWhenItsSlotIsReused) {
  std::set<HandleBits> freed;
  for (int i = 0; i < 1000; ++i) {
    const HandleBits handle = publish(new Thing());
    EXPECT_TRUE(freed.insert(handle).second);
    retire(Kind::kOp, handle)->release();
  }
  publish(new Thing());
  for (const HandleBits handle : freed) EXPECT_EQ(found(Kind::kOp, handle), nullptr);
}

TEST_F(HandleTableTest, RefusesHandlesOfOtherKinds) {
  const HandleBits handle = publish(new Thing(Kind::kGroup));
  for (int kind = 1; kind < kKinds; ++kind) {
    if (kind == static_cast<int>(Kind::kGroup)) continue;
    EXPECT_EQ(found(static_cast<Kind>(kind), handle), nullptr) << kind;
    EXPECT_EQ(retire(static_cast<Kind>(kind), handle), nullptr) << kind;
  }
}

TEST_F(HandleTableTest, RefusesEveryConstantAndGarbage) {
  for (int i = 0; i < 100; ++i) publish(new Thing());
  for (HandleBits handle = 0; handle < 0x1000; ++handle) {
    EXPECT_EQ(found(Kind::kOp, handle), nullptr);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const HandleBits garbage = random();
    // A pointer-sized random word hits one of 100 generations with probability 1e-16.
    EXPECT_EQ(found(Kind::kOp, garbage), nullptr) << std::hex << garbage;
    EXPECT_EQ(retire(Kind::kOp, garbage), nullptr) << std::hex << garbage;
    from_int(static_cast<int>(garbage));
  }
  EXPECT_EQ(found(Kind::kOp, ~HandleBits{0}), nullptr);
  EXPECT_EQ(live_count(Kind::kOp), 100u);
}

TEST_F(HandleTableTest, RefusesHandlesOfAnotherRank) {
  const HandleBits mine = publish(new Thing());
  Rank other(4);
  Rank::enter(&other);
  publish(new Thing());
  EXPECT_EQ(found(Kind::kOp, mine), nullptr);
  EXPECT_EQ(retire(Kind::kOp, mine), nullptr);
  Rank::enter(&rank_);
}

TEST_F(HandleTableTest, NoticesAnObjectInAFreeSlot) {
  HandleTable& table = tables_of_rank.get().of(Kind::kOp);
  const HandleBits handle = publish(new Thing());
  HandleSlot* const slot = table.slot_of(handle);
  Object* const thing = retire(Kind::kOp, handle);
  EXPECT_TRUE(table.is_valid());
  slot->object = thing;
  EXPECT_FALSE(table.is_valid());
  slot->object = nullptr;
  EXPECT_TRUE(table.is_valid());
  thing->release();
}

TEST_F(HandleTableTest, NoticesAFreeListThatHasNoEnd) {
  HandleTable& table = tables_of_rank.get().of(Kind::kOp);
  const HandleBits handle = publish(new Thing());
  HandleSlot* const slot = table.slot_of(handle);
  retire(Kind::kOp, handle)->release();
  const std::uint32_t next = std::exchange(slot->next_or_users, 0);  // its own index
  EXPECT_FALSE(table.is_valid());
  slot->next_or_users = next;
  EXPECT_TRUE(table.is_valid());
}

TEST_F(HandleTableTest, KeepsPointersOfThousandsOfHandles) {
  std::map<HandleBits, Object*> expected;
  std::mt19937 random(11);
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 3 != 0 || expected.empty()) {
      auto* thing = new Thing();
      EXPECT_TRUE(expected.emplace(publish(thing), thing).second);
    } else {
      auto victim = expected.lower_bound(random());
      if (victim == expected.end()) victim = expected.begin();
      Object* found = retire(Kind::kOp, victim->first);
      EXPECT_EQ(found, victim->second);
      found->release();
      expected.erase(victim);
    }
  }
  for (const auto& [handle, object] : expected) ASSERT_EQ(found(Kind::kOp, handle), object);
  EXPECT_EQ(live_count(Kind::kOp), expected.size());
  EXPECT_EQ(static_cast<std::size_t>(Thing::alive), expected.size());
}

TEST_F(HandleTableTest, TheIntOfAHandleLeadsBackToIt) {
  std::vector<HandleBits> handles;
  for (int i = 0; i < 5000; ++i) handles.push_back(publish(new Thing()));
  std::set<int> ints;
  for (const HandleBits handle : handles) {
    const int value = to_int(handle);
    EXPECT_GE(value, 1 << 27);
    EXPECT_TRUE(ints.insert(value).second);
    EXPECT_EQ(from_int(value), handle);
  }
  const int freed = to_int(handles[7]);
  retire(Kind::kOp, handles[7])->release();
  EXPECT_EQ(from_int(freed), 0u);
  EXPECT_EQ(from_int(0), 0u);
  EXPECT_EQ(from_int(-1), 0u);
  EXPECT_EQ(from_int(0x101), 0u);
}

TEST_F(HandleTableTest, AnObjectPublishedTwiceKeepsItsHandleUntilItIsRetiredTwice) {
  auto* thing = new Thing();
  const HandleBits handle = publish(thing);
  thing->retain();
  EXPECT_EQ(publish(thing), handle);
  EXPECT_EQ(live_count(Kind::kOp), 1u);
  retire(Kind::kOp, handle)->release();
  EXPECT_EQ(found(Kind::kOp, handle), thing);
  retire(Kind::kOp, handle)->release();
  EXPECT_EQ(found(Kind::kOp, handle), nullptr);
  EXPECT_EQ(Thing::alive, 0);
}

TEST_F(HandleTableTest, APredefinedObjectKeepsItsConstant) {
  static auto* const thing = new Thing(Kind::kOp, Thing::Lifetime::kPredefined);
  thing->set_handle(0x123);
  EXPECT_EQ(publish(thing), 0x123u);
  EXPECT_EQ(live_count(Kind::kOp), 0u);
  EXPECT_EQ(Thing::alive, 1);
  Thing::alive = 0;  // it lives for ever
}

TEST(HandleTables, GiveUpWhatTheProgramForgotWhenTheRankEnds) {
  {
    Rank rank(0);
    Rank::enter(&rank);
    for (int i = 0; i < 100; ++i) publish(new Thing());
    EXPECT_EQ(Thing::alive, 100);
  }
  Rank::enter(nullptr);
  EXPECT_EQ(Thing::alive, 0);
}

// Several strands of one rank, real threads: each works on handles of its own and looks at those
// that it shares with the others; all of them fight for the same handles in the end.
TEST_F(HandleTableTest, StrandsPublishFindAndRetireAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kShared = 64;
  constexpr int kRounds = 5000;
  std::vector<HandleBits> shared;
  for (int i = 0; i < kShared; ++i) shared.push_back(publish(new Thing()));

  std::atomic<int> won{0};
  std::atomic<int> wrong{0};
  const RandomYields yields;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Rank::enter(&rank_);
      std::mt19937 random(static_cast<unsigned>(t));
      RandomYields::seed(random());
      std::vector<HandleBits> mine;
      for (int i = 0; i < kRounds; ++i) {
        if (random() % 2 == 0) mine.push_back(publish(new Thing()));
        const HandleBits looked_at = shared[random() % kShared];
        if (Object* found = find(Kind::kOp, looked_at); found->handle() != looked_at) ++wrong;
        if (!mine.empty() && random() % 2 == 0) {
          Object* gone = retire(Kind::kOp, mine.back());
          if (gone == nullptr)
            ++wrong;
          else
            gone->release();
          mine.pop_back();
        }
      }
      for (const HandleBits handle : mine) retire(Kind::kOp, handle)->release();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(live_count(Kind::kOp), static_cast<std::size_t>(kShared));

  threads.clear();
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Rank::enter(&rank_);
      for (const HandleBits handle : shared) {
        if (Object* kept = find_and_retain(Kind::kOp, handle)) kept->release();
        if (Object* gone = retire(Kind::kOp, handle)) {
          gone->release();
          ++won;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, kShared);  // each handle had exactly one winner
  EXPECT_EQ(Thing::alive, 0);
}

}  // namespace
}  // namespace heddle::object
