#include "exec/ult/host_bell.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/test_seeds.h"
#include "exec/ult/another_process.h"
#include "exec/ult/completion.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// Ults of two workers, and a kernel thread. The ults also wait for each other, so the worker at the bell is woken from
// inside, too. A lost ring hangs.
void exchange(std::int64_t spin_ns, std::uint64_t yield_seed) {
  SCOPED_TRACE(testing::Message() << "spin " << spin_ns << ", yield seed " << yield_seed);
  const int rounds = TestSeeds::rounds(kSanitized ? 200 : 1000);
  AnotherProcess outside;
  ScopedScheduler scheduler({.workers = 2, .spin_ns = spin_ns, .yield_seed = yield_seed});
  std::vector<std::array<Completion, 2>> met(static_cast<std::size_t>(rounds));
  Ults ults;
  for (int self = 0; self < 2; ++self) {
    ults.run_on(self, [&, self] {
      for (auto& both : met) {
        outside.ask(self);
        both[static_cast<std::size_t>(self)].set();
        both[static_cast<std::size_t>(1 - self)].wait();
      }
    });
  }
  for (int i = 0; i < rounds; ++i) outside.ask(2);
  ults.join_all();
}

TEST(HostBell, WakesWorkersAndKernelThreads) {
  for (const unsigned seed : TestSeeds(1, 3)) {
    for (const std::int64_t spin_ns : {0, 20'000}) exchange(spin_ns, seed);
  }
}

}  // namespace
}  // namespace heddle::ult
