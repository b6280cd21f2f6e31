#include "mpi/match/tag_shares.h"

#include <gtest/gtest.h>

#include <climits>
#include <set>

namespace heddle::match {
namespace {

TEST(TagShares, BoundTheLanesOfAMatchContext) {
  for (int processes = 1; processes <= 100'000; processes += 1 + processes / 7) {
    const TagShares shares(processes);
    EXPECT_GE(shares.count(), 1u);
    EXPECT_LE(shares.count(), 64u);
    if (processes > 4096) continue;
    EXPECT_LE(shares.count() * static_cast<unsigned>(processes), 4096u);
  }
  EXPECT_EQ(TagShares(2).count(), 64u);
  EXPECT_EQ(TagShares(64).count(), 64u);
  EXPECT_EQ(TagShares(65).count(), 32u);
  EXPECT_EQ(TagShares(1024).count(), 4u);
  EXPECT_EQ(TagShares(2048).count(), 2u);
  EXPECT_EQ(TagShares(2049).count(), 1u);
  EXPECT_EQ(TagShares(INT_MAX).count(), 1u);
}

TEST(TagShares, OfASourceAreAsManyAsItSays) {
  for (const int processes : {1, 100, 1000, 5000}) {
    const TagShares shares(processes);
    std::set<Peer> peers;
    for (int tag = 0; tag < 10'000; ++tag) {
      const Peer peer = shares.peer_of({1, 7, tag});
      EXPECT_EQ(source_of(peer), 7);
      EXPECT_EQ(TagShares::with_share(peer, 0), TagShares::with_share(7, 0));
      peers.insert(peer);
    }
    EXPECT_EQ(peers.size(), shares.count());
    for (std::uint32_t share = 0; share < shares.count(); ++share) {
      EXPECT_EQ(peers.count(TagShares::with_share(7, share)), 1u);
    }
  }
}

TEST(TagShares, SayWhichLanesMayHoldATag) {
  const TagShares shares(100);
  for (int tag = 0; tag < 1000; ++tag) {
    const Peer own = shares.peer_of({1, 7, tag});
    for (std::uint32_t share = 0; share < shares.count(); ++share) {
      const Peer peer = TagShares::with_share(7, share);
      ASSERT_EQ(shares.may_hold(peer, tag), peer == own);
      ASSERT_TRUE(shares.may_hold(peer, MPI_ANY_TAG));
    }
  }
}

// Threads number their tags.
TEST(TagShares, SpreadTagsThatFollowEachOther) {
  const TagShares shares(2);
  for (const int threads : {2, 4, 8, 16}) {
    std::set<Peer> peers;
    for (int tag = 0; tag < threads; ++tag) peers.insert(shares.peer_of({1, 0, tag}));
    EXPECT_EQ(peers.size(), static_cast<std::size_t>(threads));
  }
  std::set<Peer> peers;
  for (int tag = 0; tag < 64; ++tag) peers.insert(shares.peer_of({1, 0, tag}));
  EXPECT_GE(peers.size(), 40u);
}

TEST(TagShares, NumberedMessagesStayInOneShare) {
  const TagShares shares(2);
  std::set<int> tags;
  std::set<Peer> peers;
  for (std::uint64_t number = 0; number < kTagsOfHash; number += 1 + number / 50) {
    const int tag = tag_of_hash_0(number);
    EXPECT_TRUE(tags.insert(tag).second);
    EXPECT_NE(tag, MPI_ANY_TAG);
    peers.insert(shares.peer_of({1, 0, tag}));
  }
  EXPECT_EQ(peers.size(), 1u);
  EXPECT_EQ(tag_of_hash_0(kTagsOfHash + 5), tag_of_hash_0(5));
}

TEST(TagShares, GiveWildcardsToTheMatchContext) {
  const TagShares shares(2);
  EXPECT_EQ(shares.peer_of({1, MPI_ANY_SOURCE, 3}), kAnyPeer);
  EXPECT_EQ(shares.peer_of({1, 3, MPI_ANY_TAG}), kAnyPeer);
}

}  // namespace
}  // namespace heddle::match
