// Random programs of messages between ranks (plan.h): of all modes, persistent, probed, cancelled, with random datatypes
// at both ends, in communicators that come and go, also while ranks move. ./dev seeds runs more of them.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "src/base/test_seeds.h"
#include "tests/random/communicators.h"
#include "tests/random/moves.h"
#include "tests/random/plan.h"
#include "tests/random/reserved.h"
#include "tests/random/traffic.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;
using BetweenCalls = std::function<void()>;

void run_phase(Communicators& communicators, const Reserved& reserved, int rank, int steps,
               Dice& dice, Dice& local, int buffered, const BetweenCalls& between_calls) {
  const Means means{.nodes = communicators.all(), .reserved = reserved.nodes()};
  const Plan plan(means, steps, dice);
  Traffic traffic(rank, local, buffered, between_calls);
  traffic.post_early(plan);
  between_calls();
  MPI_Barrier(MPI_COMM_WORLD);
  between_calls();
  // Made while messages are under way, in its parent, too.
  if (dice.toss()) communicators.begin_duplicate(dice);
  for (const Step& step : plan.steps()) {
    traffic.perform(step);
    traffic.finish(local.below(10));
  }
  if (dice.below(3) == 0 && communicators.size() > 4) communicators.shrink(dice);
  if (local.toss()) traffic.finish(0);
  between_calls();
  communicators.finish_duplicates();
  traffic.finish(0);
  between_calls();
  MPI_Barrier(MPI_COMM_WORLD);
}

void run_phases(int rank, int size, const BetweenCalls& between_calls) {
  constexpr int kBuffered = 40;
  Dice dice(seed()), local(mix(seed(), static_cast<unsigned>(rank)));
  const AttachedBuffer attached(kBuffered, Traffic::kBufferedBytes);
  const Reserved reserved(rank, size);
  Communicators communicators(rank, size);
  for (int phase = heddle::TestSeeds::many() ? 1 : 4; phase > 0; --phase) {
    between_calls();
    if (communicators.size() < 10) communicators.grow(dice);
    run_phase(communicators, reserved, rank, 15 + 5 * size, dice, local, kBuffered / 4,
              between_calls);
  }
}

}  // namespace

RANKS_TEST(RandomMessages, ArriveAsTheyWereSent, ranks(1, 2, 3, 4, 7, 16)) {
  run_phases(rank, size, [] {});
}

RANKS_TEST(RandomMessages, ArriveWhileRanksMove, ranks(2, 3, 4, 7, 16)) {
  if (!share_variables(size)) return;  // a rank that is a process has no workers
  Moves moves(rank, size);
  run_phases(rank, size, [&] { moves(); });
}
