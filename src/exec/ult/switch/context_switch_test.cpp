#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/platform/thread_pointer.h"
#include "exec/ult/switch/context.h"

namespace heddle::ult {
namespace {

// Writes into every register that a function may have something in.
void spoil_registers() {
  asm volatile(
      "movq $-1, %%rax\n\tmovq $-1, %%rbx\n\tmovq $-1, %%rcx\n\tmovq $-1, %%rdx\n\t"
      "movq $-1, %%rsi\n\tmovq $-1, %%rdi\n\tmovq $-1, %%r8\n\tmovq $-1, %%r9\n\t"
      "movq $-1, %%r10\n\tmovq $-1, %%r11\n\tmovq $-1, %%r12\n\tmovq $-1, %%r13\n\t"
      "movq $-1, %%r14\n\tmovq $-1, %%r15\n\t"
      "pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm2, %%xmm2\n\t"
      "pcmpeqd %%xmm3, %%xmm3\n\tpcmpeqd %%xmm4, %%xmm4\n\tpcmpeqd %%xmm5, %%xmm5\n\t"
      "pcmpeqd %%xmm6, %%xmm6\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm8, %%xmm8\n\t"
      "pcmpeqd %%xmm9, %%xmm9\n\tpcmpeqd %%xmm10, %%xmm10\n\tpcmpeqd %%xmm11, %%xmm11\n\t"
      "pcmpeqd %%xmm12, %%xmm12\n\tpcmpeqd %%xmm13, %%xmm13\n\tpcmpeqd %%xmm14, %%xmm14\n\t"
      "pcmpeqd %%xmm15, %%xmm15"
      :
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
        "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

// Another context of this thread, with the thread's TLS block.
template <SetBase kBy>
class Partner {
 public:
  Partner() {
    mine_.thread_pointer = platform::thread_pointer();
    its_ = make_context(stack_.data() + stack_.size(), platform::thread_pointer(), float_modes(),
                        &Partner::body, this);
  }

  // The switch is inlined in the caller, as it is where ults wait.
  [[gnu::always_inline]] void visit() { switch_context_by<kBy>(mine_, its_); }
  // The last visit: it does not save where it was.
  [[gnu::always_inline]] void visit_once_more() {
    last_ = true;
    visit();
  }

  int visits() const { return visits_; }
  int wrong_modes() const { return wrong_modes_; }

 private:
  static void body(void* partner) {
    Partner& self = *static_cast<Partner*>(partner);
    std::fesetround(FE_UPWARD);
    for (;;) {
      ++self.visits_;
      if (self.last_) leave_to_context_by<kBy>(self.mine_);
      spoil_registers();
      switch_context_by<kBy>(self.its_, self.mine_);
      if (std::fegetround() != FE_UPWARD) ++self.wrong_modes_;
    }
  }

  Context mine_, its_;
  bool last_ = false;
  int visits_ = 0, wrong_modes_ = 0;
  std::vector<char> stack_ = std::vector<char>(64 << 10);
};

template <class By>
class ContextSwitch : public testing::Test {
 protected:
  static constexpr SetBase kBy = By::value;
  void SetUp() override {
    if (kBy == SetBase::kInstruction && !kCanSetThreadPointer) {
      GTEST_SKIP() << "this CPU or kernel has no wrfsbase";
    }
  }
};

struct Names {
  template <class By>
  static std::string GetName(int) {
    return By::value == SetBase::kInstruction ? "Wrfsbase" : "ArchPrctl";
  }
};
using Ways = testing::Types<std::integral_constant<SetBase, SetBase::kInstruction>,
                            std::integral_constant<SetBase, SetBase::kSystemCall>>;
TYPED_TEST_SUITE(ContextSwitch, Ways, Names);

// Uses as many values as there are registers, none of which the compiler could work out again.
template <class Between>
[[gnu::always_inline]] inline double work(Between between) {
  volatile long seed = 1;
  long a = seed, b = seed + 2, c = seed + 3, d = seed + 4, e = seed + 5, f = seed + 6, g = seed + 7,
       h = seed + 8, i = seed + 9, j = seed + 10, k = seed + 11, l = seed + 12;
  double x = static_cast<double>(a) / 2, y = static_cast<double>(b) / 2,
         z = static_cast<double>(c) / 2;
  for (int round = 0; round < 100; ++round) {
    between();
    a ^= b + 1, b ^= c + 2, c ^= d + 3, d ^= e + 4, e ^= f + 5, f ^= g + 6;
    g ^= h + 7, h ^= i + 8, i ^= j + 9, j ^= k + 10, k ^= l + 11, l ^= round;
    x = y - x / 2, y = z - y / 2, z = 1 - z / 2;
  }
  return x + y + z + static_cast<double>((a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l) & 0xffff);
}

TYPED_TEST(ContextSwitch, ComesBackWithWhatWasInRegisters) {
  Partner<TestFixture::kBy> partner;
  EXPECT_EQ(work([&] { partner.visit(); }), work([] {}));
  EXPECT_EQ(partner.visits(), 100);
}

TYPED_TEST(ContextSwitch, KeepsFloatingPointModesOfBothSides) {
  Partner<TestFixture::kBy> partner;
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    partner.visit();
    if (std::fegetround() != FE_TONEAREST) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(partner.wrong_modes(), 0);
}

// Flags as the processor has them, in the same bits for x87 and SSE.
constexpr int kDivideByZero = 0x04, kInexact = 0x20, kAllFlags = 0x3f;
int x87_flags() {
  std::uint16_t status = 0;
  asm volatile("fnstsw %0" : "=m"(status));
  return status & kAllFlags;
}
int sse_flags() {
  return static_cast<int>(float_modes().mxcsr) & kAllFlags;
}
void divide_long_by_zero() {
  volatile long double one = 1, zero = 0;
  one = one / zero;
}
void divide_inexactly() {
  volatile double one = 1, three = 3;
  one = one / three;
}

template <SetBase kBy>
struct FlagsOfTwo {
  Context mine, its;
  int x87_found[2] = {}, sse_found[2] = {};
  std::vector<char> stack = std::vector<char>(64 << 10);

  void note(int which) {
    x87_found[which] |= x87_flags();
    sse_found[which] |= sse_flags();
  }
  static void body(void* self) {
    auto& both = *static_cast<FlagsOfTwo*>(self);
    both.note(1);
    divide_long_by_zero();
    switch_context_by<kBy>(both.its, both.mine);
    for (;;) {
      if (x87_flags() != kDivideByZero) both.x87_found[1] = -1;
      switch_context_by<kBy>(both.its, both.mine);
    }
  }
};

TYPED_TEST(ContextSwitch, KeepsStickyFlagsOfBothSides) {
  const bool kept_before = keeps_x87_flags.exchange(true);
  FlagsOfTwo<TestFixture::kBy> both;
  std::feclearexcept(FE_ALL_EXCEPT);
  both.mine.thread_pointer = platform::thread_pointer();
  both.its = make_context(both.stack.data() + both.stack.size(), platform::thread_pointer(),
                          float_modes(), &both.body, &both);
  divide_inexactly();
  for (int i = 0; i < 100; ++i) {
    switch_context_by<TestFixture::kBy>(both.mine, both.its);
    both.note(0);
  }
  std::feclearexcept(FE_ALL_EXCEPT);
  keeps_x87_flags = kept_before;
  EXPECT_EQ(both.x87_found[0], 0);
  EXPECT_EQ(both.x87_found[1], 0);
  EXPECT_EQ(both.sse_found[0], kInexact);
  EXPECT_EQ(both.sse_found[1], 0);
}

// Without flags of its own a context must not be stopped by those of another one, which it traps.
TYPED_TEST(ContextSwitch, DoesNotTrapWhatTheOtherSideHasDone) {
  Partner<TestFixture::kBy> partner;
  for (int i = 0; i < 10; ++i) {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO);
    partner.visit();
    fedisableexcept(FE_DIVBYZERO);
    divide_long_by_zero();
    partner.visit();
  }
  std::feclearexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(partner.visits(), 20);
}

TYPED_TEST(ContextSwitch, IsLeftForGoodWithTheOthersModes) {
  Partner<TestFixture::kBy> partner;
  partner.visit();
  partner.visit_once_more();
  EXPECT_EQ(partner.visits(), 2);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

}  // namespace
}  // namespace heddle::ult
