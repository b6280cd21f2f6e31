// tag_shares.h — how the tags of one source are shared out to lanes (lane.h).
//
// Threads of a rank that use tags of their own with one peer meet no lock as long as these tags are
// of different shares. But each share that is used costs a lane, and a rank may hear from all
// others, so a communicator's plane has at most 4096 lanes at a rank, or one a source if that is
// more:
//
//   processes in the job   to 64   to 128   to 256   to 512   to 1024   to 2048   more
//   shares of a source     64      32       16       8        4         2         1
//
// Thread safety: constant.

#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "mpi/match/envelope.h"

namespace heddle::match {

// A source and a share of its tags, in one word; or kAnyPeer, which only match contexts serve.
using Peer = std::uint64_t;
constexpr Peer kAnyPeer = ~Peer{0};

constexpr int source_of(Peer peer) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(peer));
}

// A number below kHashes for a tag: a bit in a word.
constexpr std::uint32_t kHashes = 64;
constexpr std::uint32_t hash_of(int tag) noexcept {
  return static_cast<std::uint32_t>(tag) * 0x9E3779B1u >> (32 - std::countr_zero(kHashes));
}

// Tags that all have the same hash, and so the same share: messages that are numbered by their tag
// cost one lane a source. Different below kTagsOfHash, then they repeat; none is MPI_ANY_TAG.
constexpr std::uint64_t kTagsOfHash = std::uint64_t{1} << (32 - std::countr_zero(kHashes));
constexpr int tag_of_hash_0(std::uint64_t number) noexcept {
  constexpr std::uint32_t kInverse = 0x0E8B2F51u;
  static_assert(kInverse * 0x9E3779B1u == 1 && hash_of(MPI_ANY_TAG) != 0);
  return static_cast<int>(static_cast<std::uint32_t>(number % kTagsOfHash) * kInverse);
}

class TagShares {
 public:
  static constexpr std::uint32_t kLanesOfContext = 4096;

  // `processes`: of the whole job, at least one.
  explicit constexpr TagShares(int processes) noexcept
      : shift_(static_cast<std::uint32_t>(
            std::countr_zero(kHashes / count_for(static_cast<std::uint32_t>(processes))))) {}

  std::uint32_t count() const noexcept { return kHashes >> shift_; }

  constexpr Peer peer_of(const Pattern& wanted) const noexcept {
    return is_wildcard(wanted) ? kAnyPeer : peer_of_message(wanted);
  }
  // The peer of a message, which has no wildcard.
  constexpr Peer peer_of_message(const Key& message) const noexcept {
    return with_share(static_cast<std::uint32_t>(message.source), share_of(message.tag));
  }
  // True if a message with this tag, or with any, may be in the lane of `peer` if it comes from
  // there.
  constexpr bool may_hold(Peer peer, int tag) const noexcept {
    return tag == MPI_ANY_TAG || share_of(tag) == static_cast<std::uint32_t>(peer >> 32);
  }
  // Another share of the same source.
  static constexpr Peer with_share(Peer peer, std::uint32_t share) noexcept {
    return Peer{share} << 32 | static_cast<std::uint32_t>(peer);
  }

 private:
  // Tags that follow each other have hashes that differ most in the upper bits.
  constexpr std::uint32_t share_of(int tag) const noexcept { return hash_of(tag) >> shift_; }

  static constexpr std::uint32_t count_for(std::uint32_t processes) noexcept {
    assert(processes > 0);
    return std::clamp(std::bit_floor(kLanesOfContext / processes), 1u, kHashes);
  }

  std::uint32_t shift_;
};

}  // namespace heddle::match
