// Random programs of messages (plan.h), one for each thread of a rank with those of the same number of other ranks; all
// in one communicator, each with tags of its own.

#include <gtest/gtest.h>

#include <vector>

#include "src/base/test_seeds.h"
#include "tests/random/communicators.h"
#include "tests/random/plan.h"
#include "tests/random/reserved.h"
#include "tests/random/traffic.h"
#include "tests/support/rank_threads.h"
#include "tests/support/ranks_test.h"

namespace {

using namespace heddle::testing;

constexpr int kThreads = 3, kBuffered = 10;

void run_thread(int thread, const Node& shared, const Reserved& reserved, int rank, int size) {
  const std::uint64_t of_thread = mix(seed(), static_cast<unsigned>(thread));
  Dice dice(of_thread), local(mix(of_thread, static_cast<unsigned>(rank)));
  const Means means{
      .nodes = {shared}, .reserved = reserved.nodes(), .first_tag = 1000 * thread, .alone = false};
  const Plan plan(means, 10 + 3 * size, dice);
  Traffic traffic(rank, local, kBuffered);
  traffic.post_early(plan);
  MPI_Barrier(reserved.nodes()[0].comm);
  for (const Step& step : plan.steps()) {
    traffic.perform(step);
    traffic.finish(local.below(10));
  }
  traffic.finish(0);
  MPI_Barrier(reserved.nodes()[0].comm);
}

}  // namespace

RANKS_TEST(RandomThreads, OfARankSendSideBySide, ranks(1, 2, 4, 7)) {
  const AttachedBuffer attached(kThreads * kBuffered, Traffic::kBufferedBytes);
  const Reserved shared(rank, size);
  std::vector<std::unique_ptr<Reserved>> reserved;
  for (int i = 0; i < kThreads; ++i) reserved.push_back(std::make_unique<Reserved>(rank, size));
  RankThreads threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.start([&, i] {
      run_thread(i, shared.nodes()[0], *reserved[static_cast<std::size_t>(i)], rank, size);
    });
  }
  threads.join();
}
