#include "exec/ult/run/timer_heap.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

TEST(TimerHeap, OfNoTimersHasNoDeadline) {
  TimerHeap heap;
  EXPECT_TRUE(heap.empty());
  EXPECT_EQ(heap.first_deadline(), platform::kNever);
  EXPECT_EQ(heap.take_due(platform::kNever), nullptr);
}

TEST(TimerHeap, GivesOutOnlyWhatIsDue) {
  TimerHeap heap;
  TimerNode node;
  heap.add(node, 10);
  EXPECT_EQ(heap.take_due(9), nullptr);
  EXPECT_EQ(heap.take_due(10), &node);
  EXPECT_TRUE(heap.empty());
}

// Compared with a std::multiset over random adds, removals and expirations.
TEST(TimerHeap, AgreesWithASortedSet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TimerHeap heap;
    std::multiset<std::int64_t> model;
    std::vector<TimerNode> nodes(200);
    std::vector<bool> in_heap(nodes.size(), false);
    for (int step = 0; step < 5000; ++step) {
      const std::size_t i = random.below(nodes.size());
      if (!in_heap[i]) {
        heap.add(nodes[i], static_cast<std::int64_t>(random.below(1000)));
        model.insert(nodes[i].deadline_ns);
      } else {
        heap.remove(nodes[i]);
        model.erase(model.find(nodes[i].deadline_ns));
      }
      in_heap[i] = !in_heap[i];
      if (random.below(10) == 0) {
        if (TimerNode* due = heap.take_due(static_cast<std::int64_t>(random.below(1000)))) {
          EXPECT_EQ(due->deadline_ns, *model.begin());
          model.erase(model.begin());
          in_heap[static_cast<std::size_t>(due - nodes.data())] = false;
        }
      }
      EXPECT_EQ(heap.first_deadline(), model.empty() ? platform::kNever : *model.begin());
    }
  }
}

}  // namespace
}  // namespace heddle::ult
