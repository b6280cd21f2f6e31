#include "base/standing.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <thread>

namespace heddle {
namespace {

constexpr Standing::State kStates[] = {Standing::kSection, Standing::kHook,     Standing::kLoading,
                                       Standing::kHandler, Standing::kCrossing, Standing::kMpi};
constexpr std::size_t kStateCount = std::size(kStates);

// What the header's table says, drawn a second time: x forbids. The last column: kernel threads.
struct Row {
  Act act;
  const char* name;
  std::string forbidden;
};
const Row kTable[] = {
    //                                         S H L h C M  kernel threads
    {Act::kSwitch, "kSwitch", "x......"},
    {Act::kPark, "kPark", "x.....x"},
    {Act::kWait, "kWait", "x.x...x"},
    {Act::kGoOutside, "kGoOutside", "x.xx..x"},
    {Act::kLeaveCall, "kLeaveCall", "x.x...x"},
    {Act::kBeInterrupted, "kBeInterrupted", "x.xx.xx"},
    {Act::kRunProgram, "kRunProgram", "xx...x."},
    {Act::kAnswer, "kAnswer", ".xx...."},
    {Act::kUnwind, "kUnwind", "....x.."},
};

void enter(Standing::State state) {
  if (state == Standing::kMpi) {
    Standing::mine.call = "MPI_Send";
  } else {
    Standing::enter(state);
  }
}
void leave(Standing::State state) {
  if (state == Standing::kMpi) {
    Standing::mine.call = nullptr;
  } else {
    Standing::leave(state);
  }
}

// Every set of states, for ults and for kernel threads: an act is forbidden if one of them forbids it.
TEST(Standing, AnswersAsItsTableInEverySetOfStates) {
  for (unsigned set = 0; set < 1U << (kStateCount + 1); ++set) {
    const bool is_ult = (set >> kStateCount) != 0;
    if (is_ult) Standing::enter(Standing::kUlt);
    for (std::size_t i = 0; i < kStateCount; ++i) {
      if ((set >> i & 1) != 0) enter(kStates[i]);
    }
    for (const Row& row : kTable) {
      bool allowed = is_ult || row.forbidden[kStateCount] == '.';
      for (std::size_t i = 0; i < kStateCount; ++i) {
        if ((set >> i & 1) != 0 && row.forbidden[i] == 'x') allowed = false;
      }
      EXPECT_EQ(may(row.act), allowed) << row.name << " in set " << set;
    }
    for (std::size_t i = 0; i < kStateCount; ++i) {
      if ((set >> i & 1) != 0) leave(kStates[i]);
    }
    if (is_ult) Standing::leave(Standing::kUlt);
  }
}

TEST(Standing, CountsEachStateByItself) {
  constexpr int kDeep = 60;
  for (const Standing::State state : kStates) {
    if (state == Standing::kMpi || state == Standing::kCrossing) continue;
    for (int i = 0; i < kDeep; ++i) Standing::enter(state);
    for (int i = 0; i < kDeep; ++i) {
      for (const Standing::State other : kStates) {
        if (other == Standing::kMpi) continue;
        EXPECT_EQ(Standing::is_in(other), other == state);
      }
      Standing::leave(state);
    }
    EXPECT_FALSE(Standing::is_in(state));
  }
}

TEST(Standing, ClearsOneStateAlone) {
  const Within<Standing::kSection> section;
  for (int i = 0; i < 3; ++i) Standing::enter(Standing::kLoading);
  Standing::clear(Standing::kLoading);
  EXPECT_FALSE(Standing::is_in(Standing::kLoading));
  EXPECT_FALSE(may(Act::kSwitch));
}

TEST(Standing, AHandlerThatHasInterruptedMpiIsNotInIt) {
  Standing::mine.call = Standing::kHandlerInsideMpi;
  EXPECT_TRUE(may(Act::kRunProgram));
  Standing::mine.call = nullptr;
}

TEST(Standing, IsTheStrandsOwn) {
  const Within<Standing::kSection> section;
  std::thread([] { EXPECT_TRUE(may(Act::kSwitch)); }).join();
}

}  // namespace
}  // namespace heddle
