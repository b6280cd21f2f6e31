#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "exec/ult/run/ult_record.h"

namespace heddle::ult {
namespace {

bool is_valid(const UltQueue& queue, int most = 3) {
  return queue.is_valid(most, [](const Ult& ult) { return ult.state == State::kReady; });
}

class UltQueueTest : public ::testing::Test {
 protected:
  UltQueueTest() {
    for (Ult& ult : ults_) {
      ult.state = State::kReady;
      ult.context.thread_pointer = &ult;  // pop() asks for the memory below it
      queue_.push(ult);
    }
  }

  std::array<Ult, 3> ults_;
  UltQueue queue_;
};

TEST_F(UltQueueTest, IsFirstInFirstOut) {
  UltQueue others;
  others.append(queue_);
  EXPECT_TRUE(queue_.empty());
  EXPECT_TRUE(is_valid(queue_));
  for (Ult& ult : ults_) {
    EXPECT_TRUE(is_valid(others));
    EXPECT_EQ(others.pop(), &ult);
  }
  EXPECT_EQ(others.pop(), nullptr);
}

TEST_F(UltQueueTest, NoticesAUltThatIsNotReady) {
  EXPECT_TRUE(is_valid(queue_));
  ults_[1].state = State::kParked;
  EXPECT_FALSE(is_valid(queue_));
}

TEST_F(UltQueueTest, NoticesThatItsLastUltIsLostOrLeadsBack) {
  EXPECT_FALSE(is_valid(queue_, 2));
  for (Ult* wrong : {static_cast<Ult*>(nullptr), &ults_[0], &ults_[1]}) {
    Ult* const right = std::exchange(ults_[1].next_queued, wrong);
    EXPECT_FALSE(is_valid(queue_));
    ults_[1].next_queued = right;
  }
  EXPECT_TRUE(is_valid(queue_));
}

}  // namespace
}  // namespace heddle::ult
