#include "mpi/comm/extras.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace heddle::comm {
namespace {

std::atomic<int> alive{0};

struct Own : Extra {
  Own() { ++alive; }
  ~Own() override { --alive; }
};
struct Counted final : Own {
  static constexpr ExtraSlot kSlot = ExtraSlot::kCollectives;
  int value = 0;
};
struct Inherited final : Own {
  static constexpr ExtraSlot kSlot = ExtraSlot::kTopology;
  std::unique_ptr<Extra> for_duplicate() const override {
    auto copy = std::make_unique<Inherited>();
    copy->value = value;
    return copy;
  }
  int value = 0;
};

TEST(Extras, ASlotIsEmptyUntilItIsFilled) {
  {
    Extras extras;
    EXPECT_EQ(extras.find<Counted>(), nullptr);
    Counted& made = extras.find_or_make<Counted>();
    EXPECT_EQ(extras.find<Counted>(), &made);
    EXPECT_EQ(&extras.find_or_make<Counted>(), &made);
    EXPECT_EQ(extras.find<Inherited>(), nullptr);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Extras, ADuplicateGetsWhatEachExtraGivesIt) {
  Extras parent, duplicate;
  parent.find_or_make<Counted>().value = 3;
  auto own = std::make_unique<Inherited>();
  own->value = 4;
  parent.put(std::move(own));
  duplicate.inherit(parent);
  EXPECT_EQ(duplicate.find<Counted>(), nullptr);
  ASSERT_NE(duplicate.find<Inherited>(), nullptr);
  EXPECT_NE(duplicate.find<Inherited>(), parent.find<Inherited>());
  EXPECT_EQ(duplicate.find<Inherited>()->value, 4);
}

TEST(Extras, StrandsThatComeAtOnceGetTheSame) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 200; ++round) {
    Extras extras;
    std::atomic<int> ready{0};
    Counted* seen[kThreads] = {};
    std::vector<std::thread> threads;
    for (Counted*& mine : seen) {
      threads.emplace_back([&] {
        ++ready;
        while (ready != kThreads) std::this_thread::yield();
        mine = &extras.find_or_make<Counted>();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Counted* mine : seen) ASSERT_EQ(mine, seen[0]);
    ASSERT_EQ(alive, 1);
  }
}

}  // namespace
}  // namespace heddle::comm
