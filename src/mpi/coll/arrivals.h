// arrivals.h — counts the members of a round in, and says which one is the last and whether all
// agree.
//
// The members of a worker count at a place of their own, in a cache line that stays with that
// worker's core; the last of a place counts for it one level up, and so on:
//
//   place of worker 0  128 expected ─┐
//   place of worker 1  128 expected ─┤  of a cache       root  2 expected
//   …                               ─┴────────────────►               base/platform/locality_tree.h
//
// A place is a member's for a phase: a strand that runs elsewhere counts there as well
// (host_group.h).
//
// Each member says in a number, its call, what it is about to do. A place adds the calls up in the
// word that counts, so that comparing them costs nothing; it is wrong once in 2^24 disagreements:
//
//   63        40 39            20 19            0
//   | sum of    | places below   | arrivals      |
//   | calls     | that disagree, |               |
//   |           | members that   |               |
//   |           | have failed    |               |
//
// A member that waits for another one before it arrives could wait for ever if that one makes
// another call. So each place also has a claim, a mark (phase and call). The member that waits
// claims its own place and then that of the other member, in the name of all of its place with that
// call: one that finds its own place claimed so leaves the rest to the claimer. Each member that
// arrives looks at the claim of its place:
//
//   claim          to             by
//   -------------  -------------  -----------------------------------------------------------------
//   earlier phase  mark           claim(), before the member waits [S1]
//   earlier phase  mark           the last of the place, before its word is 0 again [S2]
//   mark           another mark   claim() of a member with another call, which thereby knows of
//                                 both [S1]
//
// If two members make different calls, and one claims a place at which the other one arrives or
// claims, at least one of them learns of the other.
//
// Memory order: each count is acq_rel, so the last sees what every other wrote before arriving.
//   seq_cst orders the word and the claim of a place: a member writes one of them, then reads the
//   other. So one of two sees the other, unless the count is complete and the word is 0 again. Then
//   the claim of the last [S2] is seen, because the word is set to 0 by a release.
// Thread safety: arrive from any strand, once for each member and count. A count begins only when
// the previous one is complete; a phase may have several counts. claim: any strand of a member that
// has not arrived.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/platform/cpu.h"
#include "base/platform/locality_tree.h"
#include "base/schedule_point.h"

namespace heddle::coll {

class Arrivals {
 public:
  enum class Outcome { kEarly, kLast, kLastOfUnlike };

  // A phase and a call. Two phases that use the same storage one after the other have different
  // marks.
  using Mark = std::uint64_t;
  static Mark mark_of(std::uint64_t phase, std::uint32_t call) noexcept {
    return phase << kCallBits | call;
  }
  static std::uint64_t phase_of(Mark mark) noexcept { return mark >> kCallBits; }
  static std::uint32_t call_of(Mark mark) noexcept {
    return static_cast<std::uint32_t>(mark & ((Mark{1} << kCallBits) - 1));
  }

  // members[i], from 1 to 2^20 - 1, arrive at place i, which is leaf i of `tree`. All of them have
  // begun phase `begun`.
  Arrivals(const std::vector<int>& members, const platform::LocalityTree& tree,
           std::uint64_t begun = 0)
      : nodes_(new Node[tree.nodes().size()]) {
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
      const platform::LocalityTree::Node& node = tree.nodes()[i];
      nodes_[i].expected = i < members.size() ? static_cast<Word>(members[i]) : node.children;
      nodes_[i].parent = node.parent;
      nodes_[i].claim.store(mark_of(begun, 0), std::memory_order_relaxed);
    }
  }

  // For a look from elsewhere, at any time: true if a member of that place makes another call in
  // this phase, or has begun a later one. It may miss those that have only arrived, until the last
  // of the place has.
  bool shows_other(int place, Mark mark) const noexcept {
    const Mark claim =
        nodes_[static_cast<std::size_t>(place)].claim.load(std::memory_order_relaxed);
    return claim > mark || differ(claim, mark);
  }

  // One member is the last of all, and knows whether all gave the same call, of which 24 bits
  // count, and none has `failed`; then everything is ready for the next round.
  Outcome arrive(int place, Mark mark, bool failed = false) noexcept {
    schedule_point();
    bool unlike = failed;
    for (Node* node = &nodes_[static_cast<std::size_t>(place)];; node = &nodes_[node->parent]) {
      const Word own = one_of(mark, unlike);
      const Word sum = node->sum.fetch_add(own, std::memory_order_seq_cst) + own;
      if ((sum & kCountMask) < node->expected) return Outcome::kEarly;
      unlike = sum != one_of(mark, false) * node->expected;
      // relaxed: see [S2]; a claim that comes in between and is lost belongs to a member that then
      // sees this one.
      if (!is_of_phase(node->claim.load(std::memory_order_relaxed), mark)) {
        node->claim.store(mark, std::memory_order_relaxed);
      }
      node->sum.store(0, std::memory_order_release);  // [S2]
      if (node->parent == platform::LocalityTree::kNone)
        return unlike ? Outcome::kLastOfUnlike : Outcome::kLast;
    }
  }

  // For a member that has arrived there: true if one with another call has claimed its place.
  bool is_claimed_by_other(int place, Mark mark) const noexcept {
    schedule_point();
    const Node& node = nodes_[static_cast<std::size_t>(place)];
    return differ(node.claim.load(std::memory_order_seq_cst), mark);
  }

  // True if a member has claimed the place for that call. relaxed: it looks at the place in the
  // name of all.
  bool is_claimed(int place, Mark mark) const noexcept {
    return nodes_[static_cast<std::size_t>(place)].claim.load(std::memory_order_relaxed) == mark;
  }

  // For a member that will wait, before it does so: true if a member of that place makes another
  // call.
  bool claim(int place, Mark mark) noexcept {
    schedule_point();
    Node& node = nodes_[static_cast<std::size_t>(place)];
    if (is_claimed(place, mark)) return false;
    if (differ(node.claim.exchange(mark, std::memory_order_seq_cst), mark)) return true;  // [S1]
    schedule_point();
    const Word sum = node.sum.load(std::memory_order_seq_cst);
    const Word like = one_of(mark, false) * (sum & kCountMask);
    return (sum ^ like) >> kCallShift != 0 ||
           differ(node.claim.load(std::memory_order_relaxed), mark);  // [S2]
  }

 private:
  using Word = std::uint64_t;
  static constexpr int kCallBits = 24, kCallShift = 40;
  static constexpr Word kCountMask = (Word{1} << 20) - 1;
  static Word one_of(Mark mark, bool unlike) noexcept {
    return mark << kCallShift | Word{unlike} << 20 | 1;
  }

  static bool is_of_phase(Mark a, Mark b) noexcept { return (a ^ b) >> kCallBits == 0; }
  static bool differ(Mark a, Mark b) noexcept { return a != b && is_of_phase(a, b); }

  struct alignas(platform::kCacheLine) Node {
    std::atomic<Word> sum{0};
    std::atomic<Mark> claim{0};
    Word expected = 0;       // constant
    std::size_t parent = 0;  // constant
  };

  const std::unique_ptr<Node[]> nodes_;  // as in the tree
};

}  // namespace heddle::coll
