#include "net/world/context_ids.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace heddle::world {
namespace {

TEST(ContextIds, ThreadsOfManyHostsAndJobsNeverDrawTheSame) {
  constexpr int kEach = 1000;
  const JobId last_job = (1 << ContextIds::kJobBits) - 1;
  const int last_host = (1 << ContextIds::kHostBits) - 1;
  std::vector<std::vector<ContextId>> drawn;
  std::vector<std::unique_ptr<ContextIds>> hosts;
  for (const JobId job : {kFirstJob, JobId{2}, last_job}) {
    for (const int host : {0, 1, 2, last_host}) {
      hosts.push_back(std::make_unique<ContextIds>(job, host));
    }
  }
  drawn.resize(2 * hosts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kEach; ++n) drawn[i].push_back(hosts[i / 2]->draw());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<ContextId> all;
  for (const auto& some : drawn) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), drawn.size() * kEach);
  EXPECT_GE(*all.begin(), 16u) << "those below are predefined communicators'";
  EXPECT_EQ(*all.rbegin() >> 62, 0u) << "two bits are the plane's";
}

TEST(ContextIds, AHostThatHasDrawnAllGetsNoneAndRepeatsNone) {
  ContextIds ids(kFirstJob, 1, ContextIds::kSerials - 2);
  ContextIds next_host(kFirstJob, 2);
  const ContextId one = ids.draw();
  const ContextId last = ids.draw();
  EXPECT_NE(one, kNoContext);
  EXPECT_EQ(last, one + 1);
  EXPECT_NE(last + 1, kNoContext);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ids.draw(), kNoContext);
  EXPECT_EQ(next_host.draw(), last + 1) << "hosts' ids lie side by side";
}

}  // namespace
}  // namespace heddle::world
