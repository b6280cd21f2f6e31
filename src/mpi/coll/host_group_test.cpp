// What a host knows of a turn in which members of several hosts disagree (doubts.h). How members meet: tests/coll.

#include "mpi/coll/host_group.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "exec/ult/test_support.h"
#include "mpi/lifetime/making.h"

namespace heddle::coll {
namespace {

using object::Ref;

constexpr world::ContextId kContext = 77;
constexpr int kRanks = 4, kHere = 2;  // the first two are on this host
constexpr HostGroup::Turn kTurn = 1001;

// A rank of this host, and its communicator of all ranks.
class Member {
 public:
  Member(world::Host& host, int number) : rank_(new Rank(number)) {
    Rank::enter(rank_.get());
    world::here() = {&host, &host.job().process(number)};
    group::Group::Members members;
    for (int i = 0; i < kRanks; ++i) members.push_back(&host.job().process(i));
    const lifetime::Making making;
    auto group = Ref<group::Group>::adopt(new group::Group(std::move(members)));
    comm_ = Ref<comm::Comm>::adopt(new comm::Comm(kContext, std::move(group), {}, number));
    host_group_ = &HostGroup::of(*comm_);
    Rank::enter(nullptr);
  }
  ~Member() {
    Rank::enter(rank_.get());
    comm_ = {};
    rank_.reset();
    Rank::enter(nullptr);
  }
  HostGroup& host_group() const { return *host_group_; }
  comm::Comm& comm() const { return *comm_; }

 private:
  std::unique_ptr<Rank> rank_;
  Ref<comm::Comm> comm_;
  HostGroup* host_group_;
};

class HostGroups : public ::testing::Test {
 protected:
  HostGroups() {
    for (int rank = 0; rank < kRanks; ++rank) {
      host_.job().process(rank).host = rank < kHere ? 0 : 1;
    }
    for (int rank = 0; rank < kHere; ++rank) {
      members_[rank] = std::make_unique<Member>(host_, rank);
    }
  }
  HostGroup& host_group() { return members_[0]->host_group(); }
  Arrivals::Mark denied(int index) {
    return host_group().round(kTurn).denied[static_cast<std::size_t>(index)].load();
  }
  std::uint64_t hope(int index) {
    return host_group().round(kTurn).hopes[static_cast<std::size_t>(index)].load();
  }
  bool denies(int rank) { return host_group().denies(rank, Arrivals::mark_of(kTurn, 7)); }

  const ult::ScopedScheduler scheduler_{/*workers=*/2, /*seed=*/1};
  world::Host host_{world::kFirstJob, 0, kRanks};
  std::unique_ptr<Member> members_[kHere];
};

TEST_F(HostGroups, KeepsADenialForEachMemberThatWaits) {
  host_group().take_denial(0, 2, kTurn);
  host_group().take_denial(1, 3, kTurn);
  EXPECT_EQ(denied(0), HostGroup::denial_of(2, kTurn));
  EXPECT_EQ(denied(1), HostGroup::denial_of(3, kTurn));
}

TEST_F(HostGroups, KeepsTheLastDoubtThatWasNotDeniedForEachMember) {
  host_group().take_hope(0, kTurn, 17);
  host_group().take_hope(1, kTurn, 18);
  host_group().take_hope(0, kTurn, 19);
  host_group().take_hope(2, kTurn, 20);  // a packet that makes no sense
  EXPECT_EQ(hope(0), 19u);
  EXPECT_EQ(hope(1), 18u);
}

TEST_F(HostGroups, OfADenialThatEndsNoWaitOtherHostsHearNothing) {
  host_group().take_denial(0, 2, kTurn);
  EXPECT_FALSE(denies(0));
  EXPECT_FALSE(denies(1));
  host_group().round(kTurn).tear(kTurn);
  EXPECT_TRUE(denies(0));
  EXPECT_TRUE(denies(1));
}

TEST_F(HostGroups, DeniesWhatItHasDoneWithAlsoByNewTables) {
  // Makes the tables of the next turn with kTurn's round.
  const HostGroup::Turn concluded = kTurn + HostGroup::kAhead;
  int& worker = host_.job().process(0).worker;
  worker = 1;
  host_group().sit_down(Seat::of(members_[0]->comm()), *host_group().round(concluded).tables);
  EXPECT_FALSE(denies(0));
  host_group().renew_tables(members_[0]->comm(), concluded);
  EXPECT_EQ(host_group().renewals(), 1u);
  EXPECT_TRUE(denies(0));
  EXPECT_TRUE(denies(1));
  EXPECT_FALSE(host_group().denies(0, Arrivals::mark_of(concluded + HostGroup::kAhead, 7)));
}

TEST_F(HostGroups, DeniesForMembersHereAlone) {
  host_group().round(kTurn).tear(kTurn);
  EXPECT_FALSE(denies(2));
  EXPECT_FALSE(denies(kRanks));
  host_group().take_denial(2, 0, kTurn);  // a packet that makes no sense
  for (int index = 0; index < kHere; ++index) EXPECT_EQ(denied(index), 0u);
}

}  // namespace
}  // namespace heddle::coll
