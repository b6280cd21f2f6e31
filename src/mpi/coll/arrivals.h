// arrivals.h — counts the members of a round in, and says who is the last and whether all agree.
//
// The members of a worker count at a place of their own, in a cache line that stays with that
// worker's core; the last of a place counts for it one level up, and so on:
//
//   place of worker 0   128 expected ─┐
//   place of worker 1   128 expected ─┤  up to kFanIn     root  2 expected
//   …                                ─┴────────────────►
//
// A place is a member's for good: a strand that runs elsewhere counts there as well.
//
// Each member says in a number what it is about to do. A place adds the numbers up in the word that
// counts, so that comparing them costs nothing; it is wrong once in 2^24 disagreements:
//
//   63        40 39            20 19            0
//   | sum of    | places below   | arrivals      |
//   | calls     | that disagree, |               |
//   |           | members that   |               |
//   |           | have failed    |               |
//
// Memory order: each count is acq_rel, so the last sees what every other wrote before arriving.
// Thread safety: arrive from any strand, once for each member and count. A count begins only when
// the previous one is complete; a turn may have several counts.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/cpu.h"
#include "base/schedule_point.h"

namespace heddle::coll {

class Arrivals {
 public:
  enum class Outcome { kEarly, kLast, kLastOfUnlike };

  // members[i], from 1 to 2^20 - 1, arrive at place i.
  explicit Arrivals(const std::vector<int>& members)
      : nodes_(new Node[node_count(members.size())]) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      nodes_[i].expected = static_cast<Word>(members[i]);
    }
    std::size_t first = 0, count = members.size(), parent = members.size();
    while (count > 1) {
      for (std::size_t i = 0; i < count; ++i) nodes_[first + i].parent = parent + i / kFanIn;
      const std::size_t above = (count + kFanIn - 1) / kFanIn;
      for (std::size_t i = 0; i < above; ++i) {
        const std::size_t rest = count - i * kFanIn;
        nodes_[parent + i].expected = rest < kFanIn ? rest : kFanIn;
      }
      first = parent;
      parent += above;
      count = above;
    }
  }

  // One member is the last of all, and knows whether all gave the same `call`, of which 24 bits
  // count, and none has `failed`; then everything is ready for the next round.
  Outcome arrive(int place, std::uint32_t call, bool failed = false) noexcept {
    schedule_point();
    bool unlike = failed;
    for (Node* node = &nodes_[static_cast<std::size_t>(place)];; node = &nodes_[node->parent]) {
      const Word own = one_of(call, unlike);
      const Word sum = node->sum.fetch_add(own, std::memory_order_acq_rel) + own;
      if ((sum & kCountMask) < node->expected) return Outcome::kEarly;
      unlike = sum != one_of(call, false) * node->expected;
      // relaxed: the next round is published by the last.
      node->sum.store(0, std::memory_order_relaxed);
      if (node->parent == kNone) return unlike ? Outcome::kLastOfUnlike : Outcome::kLast;
    }
  }

 private:
  static constexpr std::size_t kFanIn = 8;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  using Word = std::uint64_t;
  static constexpr Word kCountMask = (Word{1} << 20) - 1;
  static Word one_of(std::uint32_t call, bool unlike) noexcept {
    return Word{call} << 40 | Word{unlike} << 20 | 1;
  }

  struct alignas(platform::kCacheLine) Node {
    std::atomic<Word> sum{0};
    Word expected = 0;           // constant
    std::size_t parent = kNone;  // constant
  };

  static std::size_t node_count(std::size_t places) noexcept {
    std::size_t count = places;
    for (; places > 1; count += places) places = (places + kFanIn - 1) / kFanIn;
    return count;
  }

  const std::unique_ptr<Node[]> nodes_;  // the places first, then level by level
};

}  // namespace heddle::coll
