#include "net/world/host.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace heddle::world {
namespace {

TEST(Host, FindsProcessesByNameInItsOwnTables) {
  Host first(kFirstJob, 0, 3), second(kFirstJob, 1, 3);
  for (int number = 0; number < 3; ++number) {
    const ProcessName name{kFirstJob, number};
    ASSERT_NE(first.find(name), nullptr);
    EXPECT_EQ(first.find(name)->name(), name);
    EXPECT_NE(first.find(name), second.find(name)) << "each host has tables of its own";
    EXPECT_TRUE(first.has(*first.find(name)));
    EXPECT_FALSE(first.has(*second.find(name)));
  }
}

TEST(Host, KnowsNoProcessOfAJobThatItHasNotHeardOf) {
  Host host(kFirstJob, 0, 3);
  for (const ProcessName& name : {ProcessName{kFirstJob + 1, 0}, ProcessName{kNoJob, 0},
                                  ProcessName{kFirstJob, 3}, ProcessName{kFirstJob, -1}}) {
    EXPECT_EQ(host.find(name), nullptr) << describe(name);
  }
}

TEST(Host, HasItsOwnJobAndThoseThatItHasHeardOf) {
  Host host(kFirstJob, 0, 3);
  Job& other = host.add_job(kFirstJob + 1, 2);
  EXPECT_EQ(host.job().id(), kFirstJob);
  EXPECT_EQ(host.find({kFirstJob + 1, 1}), &other.process(1));
  EXPECT_EQ(host.find({kFirstJob, 1}), &host.job().process(1));
  EXPECT_TRUE(host.has(other.process(0)));
  EXPECT_EQ(host.find({kFirstJob + 1, 2}), nullptr);
}

TEST(ProcessName, IsAJobAndANumber) {
  const ProcessName one{kFirstJob, 2}, other_job{kFirstJob + 1, 2}, other_number{kFirstJob, 3};
  EXPECT_EQ((std::unordered_set<ProcessName>{one, other_job, other_number, one}.size()), 3u);
  EXPECT_LT(one, other_number);
  EXPECT_LT(other_number, other_job);
  EXPECT_EQ(describe(one), "process 2");
  EXPECT_EQ(describe(other_job), "process 2 of job 2");
}

TEST(Here, ARankKnowsTheProcessesOfItsOwnHostsTablesOnly) {
  Host mine(kFirstJob, 0, 2), other(kFirstJob, 1, 2);
  EXPECT_TRUE(is_known_here(other.job().process(1))) << "no rank calls";
  Rank rank(0);
  Rank::enter(&rank);
  here() = {&mine, &mine.job().process(0)};
  EXPECT_TRUE(is_known_here(mine.job().process(1))) << "whichever host carries it";
  EXPECT_FALSE(is_known_here(other.job().process(1)));
  Rank::enter(nullptr);
}

}  // namespace
}  // namespace heddle::world
