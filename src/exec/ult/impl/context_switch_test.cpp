#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "base/platform/thread_pointer.h"
#include "exec/ult/impl/context.h"

namespace heddle::ult {
namespace {

using Switch = void (*)(Context& from, const Context& to) noexcept;

constexpr Switch kByInstruction = &switch_context_by<SetBase::kInstruction>;
constexpr Switch kBySystemCall = &switch_context_by<SetBase::kSystemCall>;

// Two contexts of one thread that take turns; both keep the thread's TLS block.
struct Turns {
  Switch change;
  Context mine;
  Context its;
  int turns = 0;
  double sum = 0;
  std::vector<char> stack = std::vector<char>(64 << 10);

  explicit Turns(Switch which) : change(which) {
    its = make_context(stack.data() + stack.size(), platform::thread_pointer(), float_modes(),
                       &Turns::body, this);
  }
  static void body(void* turns) {
    Turns& t = *static_cast<Turns*>(turns);
    std::fesetround(FE_UPWARD);
    for (;;) {
      ++t.turns;
      t.change(t.its, t.mine);
      t.sum += std::fegetround() == FE_UPWARD ? 1 : 0;
    }
  }
  void visit() {
    mine.thread_pointer = platform::thread_pointer();
    change(mine, its);
  }
};

class ContextSwitch : public testing::TestWithParam<Switch> {
 protected:
  void SetUp() override {
    if (GetParam() == kByInstruction && !kCanSetThreadPointer) {
      GTEST_SKIP() << "this CPU or kernel has no wrfsbase";
    }
  }
};

TEST_P(ContextSwitch, ComesBackWithItsRegisters) {
  Turns turns(GetParam());
  int sum = 0;
  for (int i = 0; i < 100; ++i) {
    turns.visit();
    sum += i;
  }
  EXPECT_EQ(turns.turns, 100);
  EXPECT_EQ(sum, 4950);
}

TEST_P(ContextSwitch, KeepsFloatingPointModesOfBothSides) {
  Turns turns(GetParam());
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    turns.visit();
    if (std::fegetround() != FE_TONEAREST) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(turns.sum, 99);
}

INSTANTIATE_TEST_SUITE_P(BothWays, ContextSwitch, testing::Values(kByInstruction, kBySystemCall),
                         [](const testing::TestParamInfo<Switch>& which) {
                           return which.param == kByInstruction ? "Wrfsbase" : "ArchPrctl";
                         });

}  // namespace
}  // namespace heddle::ult
