// What two hosts tell each other about processes and contexts. Each test has two hosts in one process.
#include "mpi/comm_make/agree.h"

#include <gtest/gtest.h>

#include "exec/rank/rank.h"

namespace heddle::comm_make {
namespace {

using group::Group;
using object::Ref;

class AgreeTest : public ::testing::Test {
 protected:
  static constexpr int kRanks = 4;

  ~AgreeTest() override { Rank::enter(nullptr); }

  // The calling strand is rank 0 of the first host, or rank 2 of the second.
  void go_to(world::Host& host, Rank& rank) {
    Rank::enter(&rank);
    world::here() = {&host, &host.job().process(rank.number())};
  }

  Ref<Group> group_on(world::Host& host, std::initializer_list<int> numbers) {
    Group::Members members;
    for (const int number : numbers) members.push_back(&host.job().process(number));
    return Ref<Group>::adopt(new Group(std::move(members)));
  }

  world::Host first_{world::kFirstJob, 0, kRanks};
  world::Host second_{world::kFirstJob, 1, kRanks};
  Rank on_first_{0};
  Rank on_second_{2};
};

TEST_F(AgreeTest, NamesOfOneHostFindTheSameProcessesOnAnother) {
  go_to(first_, on_first_);
  const std::vector<ProcessName> names = names_of(*group_on(first_, {3, 0, 2}));
  go_to(second_, on_second_);
  Ref<Group> found;
  ASSERT_FALSE(group_of(names, {}, &found));
  EXPECT_EQ(found->members(), group_on(second_, {3, 0, 2})->members());
}

TEST_F(AgreeTest, AProcessThatTheHostHasNotHeardOfIsAnError) {
  go_to(first_, on_first_);
  Ref<Group> found;
  for (const ProcessName& stranger :
       {ProcessName{world::kFirstJob + 1, 0}, ProcessName{world::kFirstJob, kRanks}}) {
    const Error e = group_of({{world::kFirstJob, 0}, stranger}, {}, &found);
    EXPECT_EQ(e.error_class(), MPI_ERR_OTHER);
    EXPECT_FALSE(found);
  }
}

TEST_F(AgreeTest, HostsDrawDifferentContexts) {
  for (int i = 0; i < 100; ++i) {
    go_to(first_, on_first_);
    const ContextId one = draw_context();
    go_to(second_, on_second_);
    const ContextId other = draw_context();
    EXPECT_NE(one, other);
    EXPECT_EQ(agreed(one, other), agreed(other, one));
  }
}

TEST_F(AgreeTest, ASideWithOneContextLeftOffersNone) {
  for (const int left : {0, 1}) {
    world::ContextIds ids(world::kFirstJob, 1, world::ContextIds::kSerials - left);
    const InterContexts drawn = draw_contexts(ids);
    EXPECT_EQ(drawn.between, world::kNoContext);
    EXPECT_EQ(drawn.local, world::kNoContext);
  }
  world::ContextIds ids(world::kFirstJob, 1, world::ContextIds::kSerials - 2);
  const InterContexts drawn = draw_contexts(ids);
  EXPECT_NE(drawn.between, world::kNoContext);
  EXPECT_NE(drawn.local, world::kNoContext);
  EXPECT_NE(drawn.local, drawn.between);
}

TEST_F(AgreeTest, WithoutAContextNoCommunicatorIsMade) {
  go_to(first_, on_first_);
  const Ref<Group> all = group_on(first_, {0, 1, 2, 3});
  const auto parent = Ref<Comm>::adopt(new Comm(draw_context(), all, {}, 0));
  Ref<Comm> made;
  EXPECT_EQ(build(world::kNoContext, all, *parent, &made).error_class(), MPI_ERR_OTHER);
  const Ref<Group> mine = group_on(first_, {0}), others = group_on(first_, {1});
  for (const InterContexts& contexts :
       {InterContexts{agreed(world::kNoContext, draw_context()), 77},
        InterContexts{77, world::kNoContext}}) {
    EXPECT_EQ(build_inter(contexts, mine, others, *parent, &made).error_class(), MPI_ERR_OTHER);
  }
  EXPECT_FALSE(made);
}

}  // namespace
}  // namespace heddle::comm_make
