#include "base/test_seeds.h"

#include <vector>

namespace heddle {
namespace {

// In a process of its own: the variable is the process's.
[[noreturn]] void print_seeds(const char* variable) {
  setenv("HEDDLE_TEST_SEEDS", variable, 1);
  int sum = 0;
  for (const unsigned seed : TestSeeds(1, 1)) sum += static_cast<int>(seed);
  std::exit(sum);
}

TEST(TestSeeds, GoOverThoseThatTheVariableNames) {
  EXPECT_EXIT(print_seeds("5:3"), ::testing::ExitedWithCode(5 + 6 + 7), "");
}

TEST(TestSeeds, RefuseAVariableOfAnotherForm) {
  for (const char* wrong : {"1-40", "40", "", "1:", "1:0", "1:40x"}) {
    EXPECT_EXIT(print_seeds(wrong), ::testing::ExitedWithCode(2), "must be FIRST:COUNT");
  }
}

}  // namespace
}  // namespace heddle
