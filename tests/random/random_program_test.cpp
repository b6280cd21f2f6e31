// Random programs: a tree of communicators that grows and shrinks, and collectives of all kinds on them, blocking,
// nonblocking and persistent at the same time, against a plain reference (operation.h), also while ranks move.
// ./dev seeds runs more of them.

#include <functional>
#include <memory>

#include "src/base/test_seeds.h"
#include "tests/random/communicators.h"
#include "tests/random/moves.h"
#include "tests/random/operation.h"
#include "tests/random/under_way.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kSteps = 120, kStepsOfMany = 40;

int steps() {
  return heddle::TestSeeds::many() ? kStepsOfMany : kSteps;
}

// between_calls() runs before each call of MPI in an operation, and before each step.
void run_program(int rank, int size, const std::function<void()>& between_calls) {
  Dice dice(seed()), local(seed() * 4099 + static_cast<unsigned long>(rank));
  Communicators communicators(rank, size);
  UnderWay<Operation> under_way(local, between_calls);
  for (int step = 0; step < steps(); ++step) {
    between_calls();
    const int what = dice.below(12);
    if (what == 0 && communicators.size() < 12) communicators.grow(dice);
    if (what == 1 && communicators.size() > 4) communicators.shrink(dice);
    if (what == 2 && communicators.size() < 12) communicators.begin_duplicate(dice);
    if (what == 3) communicators.finish_duplicates();
    const Node& node = communicators.any(dice);
    const int rounds = dice.below(3) + 1;
    const unsigned long numbers = dice.number();
    if (node.comm == MPI_COMM_NULL) continue;
    Dice of_operation(numbers);  // drawn by members only
    under_way.perform(
        std::make_unique<Operation>(node, static_cast<unsigned long>(step), of_operation, local),
        rounds);
    under_way.finish(local.below(12));
  }
  under_way.finish(0);
}

}  // namespace

RANKS_TEST(RandomProgram, GivesWhatAPlainReferenceGives, ranks(1, 2, 3, 4, 7, 16)) {
  run_program(rank, size, [] {});
}

RANKS_TEST(RandomProgram, GivesTheSameWhileRanksMove, ranks(2, 3, 4, 7, 16)) {
  if (!share_variables(size)) return;  // a rank that is a process has no workers
  Moves moves(rank, size);
  run_program(rank, size, [&] { moves(); });
}
