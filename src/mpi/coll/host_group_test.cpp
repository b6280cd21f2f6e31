// What a host knows of a phase in which members of several hosts disagree (call_queries.h). How members meet: tests/coll.

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
constexpr HostGroup::Phase kPhase = 1001;

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
  Arrivals::Mark mismatched(int index) {
    return host_group().round(kPhase).mismatched[static_cast<std::size_t>(index)].load();
  }
  std::uint64_t agreed(int index) {
    return host_group().round(kPhase).agreed[static_cast<std::size_t>(index)].load();
  }
  bool disagrees(int rank) { return host_group().disagrees(rank, Arrivals::mark_of(kPhase, 7)); }

  const ult::ScopedScheduler scheduler_{/*workers=*/2, /*seed=*/1};
  world::Host host_{world::kFirstJob, 0, kRanks};
  std::unique_ptr<Member> members_[kHere];
};

TEST_F(HostGroups, KeepsAMismatchForEachMemberThatWaits) {
  host_group().take_mismatch(0, 2, kPhase);
  host_group().take_mismatch(1, 3, kPhase);
  EXPECT_EQ(mismatched(0), HostGroup::mismatch_of(2, kPhase));
  EXPECT_EQ(mismatched(1), HostGroup::mismatch_of(3, kPhase));
}

TEST_F(HostGroups, KeepsTheLastQueryThatWasAgreedToForEachMember) {
  host_group().take_agreement(0, kPhase, 17);
  host_group().take_agreement(1, kPhase, 18);
  host_group().take_agreement(0, kPhase, 19);
  host_group().take_agreement(2, kPhase, 20);  // a packet that makes no sense
  EXPECT_EQ(agreed(0), 19u);
  EXPECT_EQ(agreed(1), 18u);
}

TEST_F(HostGroups, OfAMismatchThatEndsNoWaitOtherHostsHearNothing) {
  host_group().take_mismatch(0, 2, kPhase);
  EXPECT_FALSE(disagrees(0));
  EXPECT_FALSE(disagrees(1));
  host_group().round(kPhase).tear(kPhase);
  EXPECT_TRUE(disagrees(0));
  EXPECT_TRUE(disagrees(1));
}

TEST_F(HostGroups, DisagreesWithWhatItHasDoneAlsoByNewTables) {
  // Makes the tables of the next phase with kPhase's round.
  const HostGroup::Phase concluded = kPhase + HostGroup::kAhead;
  int& worker = host_.job().process(0).worker;
  worker = 1;
  host_group().sit_down(Seat::of(members_[0]->comm()), *host_group().round(concluded).tables);
  EXPECT_FALSE(disagrees(0));
  host_group().renew_tables(members_[0]->comm(), concluded);
  EXPECT_EQ(host_group().renewals(), 1u);
  EXPECT_TRUE(disagrees(0));
  EXPECT_TRUE(disagrees(1));
  EXPECT_FALSE(host_group().disagrees(0, Arrivals::mark_of(concluded + HostGroup::kAhead, 7)));
}

TEST_F(HostGroups, DisagreesForMembersHereAlone) {
  host_group().round(kPhase).tear(kPhase);
  EXPECT_FALSE(disagrees(2));
  EXPECT_FALSE(disagrees(kRanks));
  host_group().take_mismatch(2, 0, kPhase);  // a packet that makes no sense
  for (int index = 0; index < kHere; ++index) EXPECT_EQ(mismatched(index), 0u);
}

}  // namespace
}  // namespace heddle::coll
