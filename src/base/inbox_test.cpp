#include "base/inbox.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace heddle {
namespace {

struct Item : InboxNode {
  int producer = 0;
  int number = 0;
};

TEST(Inbox, GivesOutTheOldestFirst) {
  Inbox inbox;
  std::array<Item, 3> items;
  EXPECT_FALSE(inbox.has_news());
  for (Item& item : items) EXPECT_FALSE(inbox.push(item));
  EXPECT_TRUE(inbox.has_news());
  InboxNode* node = inbox.take_all();
  for (Item& item : items) {
    EXPECT_EQ(node, &item);
    node = node->next;
  }
  EXPECT_EQ(node, nullptr);
  EXPECT_EQ(inbox.take_all(), nullptr);
}

TEST(Inbox, OnlyTheFirstPushAfterFallingAsleepMustWake) {
  Inbox inbox;
  Item first;
  Item second;
  ASSERT_TRUE(inbox.try_sleep());
  EXPECT_TRUE(inbox.push(first));
  EXPECT_FALSE(inbox.push(second));
  EXPECT_FALSE(inbox.try_sleep());
  EXPECT_FALSE(inbox.cancel_sleep());
  EXPECT_EQ(inbox.take_all(), &first);
  ASSERT_TRUE(inbox.try_sleep());
  EXPECT_TRUE(inbox.cancel_sleep());
  EXPECT_FALSE(inbox.push(first));
  inbox.take_all();
}

TEST(Inbox, KeepsTheOrderOfEachProducerAndCountsOneWakePerSleep) {
  constexpr int kProducers = 3;
  constexpr int kItems = 20'000;
  Inbox inbox;
  std::atomic<int> wakes{0};
  std::vector<std::vector<Item>> items(kProducers, std::vector<Item>(kItems));
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < kItems; ++i) {
        Item& item = items[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)];
        item.producer = p;
        item.number = i;
        if (inbox.push(item)) wakes.fetch_add(1, std::memory_order_release);
      }
    });
  }
  int sleeps = 0;
  std::array<int, kProducers> next{};
  for (int taken = 0; taken < kProducers * kItems;) {
    if (inbox.try_sleep()) {
      ++sleeps;
      while (wakes.load(std::memory_order_acquire) != sleeps) std::this_thread::yield();
    }
    for (InboxNode* node = inbox.take_all(); node != nullptr; node = node->next) {
      const Item& item = static_cast<Item&>(*node);
      EXPECT_EQ(item.number, next[static_cast<std::size_t>(item.producer)]++);
      ++taken;
    }
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_EQ(wakes, sleeps);
}

}  // namespace
}  // namespace heddle
