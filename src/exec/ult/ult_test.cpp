#include "exec/ult/ult.h"

#include <gtest/gtest.h>

#include <vector>

#include "exec/ult/completion.h"
#include "exec/ult/scheduler.h"

namespace heddle::ult {
namespace {

class UltTest : public testing::Test {
 protected:
  void SetUp() override {
    Error e = start({.workers = 2});
    ASSERT_FALSE(e);
  }
  void TearDown() override { stop(); }
};

struct Pair {
  Completion ping[1000];
  Completion pong[1000];
};

TEST_F(UltTest, TwoUltsPlayPingPong) {
  Pair pair;
  Ult *a, *b;
  Error e = spawn(
      [](void* p) {
        for (int i = 0; i < 1000; ++i) {
          static_cast<Pair*>(p)->ping[i].set();
          static_cast<Pair*>(p)->pong[i].wait();
        }
      },
      &pair, {.worker = 0}, &a);
  ASSERT_FALSE(e);
  e = spawn(
      [](void* p) {
        for (int i = 0; i < 1000; ++i) {
          static_cast<Pair*>(p)->ping[i].wait();
          static_cast<Pair*>(p)->pong[i].set();
        }
      },
      &pair, {.worker = 0}, &b);
  ASSERT_FALSE(e);
  join(a);
  join(b);
  EXPECT_GE(counters().switches, 1000u);
}

}  // namespace
}  // namespace heddle::ult
