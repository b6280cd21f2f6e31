// tag_shares.h — how the tags of one source are shared out to lanes (lane.h).
//
// Threads of a rank that use tags of their own with one peer meet no lock as long as these tags are
// of different shares. But each share that is used costs a lane, and each rank may hear from all
// others, so what a rank's lanes can take at most is fixed, and with it the shares that a source gets:
//
//   processes in the job   up to 64   256   1024   from 4096 on
//   shares of a source     64         16    4      1
//
// Thread safety: constant.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "mpi/match/envelope.h"

namespace heddle::match {

// A source and a share of its tags, in one word; or kAnyPeer, whom only scopes serve.
using Peer = std::uint64_t;
constexpr Peer kAnyPeer = ~Peer{0};

constexpr int source_of(Peer peer) noexcept {
  return static_cast<int>(static_cast<std::uint32_t>(peer));
}

// A number below 64 that spreads the tags.
constexpr std::uint32_t place_of(int tag) noexcept {
  return static_cast<std::uint32_t>(tag) * 0x9E3779B1u >> 26;
}

class TagShares {
 public:
  static constexpr std::uint32_t kMost = 64;
  static constexpr std::uint32_t kLanesOfRank = 4096;

  explicit constexpr TagShares(int processes) noexcept
      : count_(std::clamp(std::bit_floor(kLanesOfRank / static_cast<std::uint32_t>(processes)), 1u,
                          kMost)),
        shift_(static_cast<std::uint32_t>(std::countr_zero(kMost / count_))) {}

  std::uint32_t count() const noexcept { return count_; }

  constexpr Peer peer_of(const Pattern& wanted) const noexcept {
    if (is_wildcard(wanted)) return kAnyPeer;
    return with_share(static_cast<std::uint32_t>(wanted.source), share_of(wanted.tag));
  }
  // The same source's.
  static constexpr Peer with_share(Peer peer, std::uint32_t share) noexcept {
    return Peer{share} << 32 | static_cast<std::uint32_t>(peer);
  }

 private:
  // Of tags that follow each other, the upper bits of the place differ most.
  constexpr std::uint32_t share_of(int tag) const noexcept { return place_of(tag) >> shift_; }

  std::uint32_t count_;
  std::uint32_t shift_;
};

}  // namespace heddle::match
