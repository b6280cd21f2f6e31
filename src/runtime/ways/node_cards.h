// node_cards.h — the cards of hosts of other nodes, which one host of a node fetches for all of its
// node.
//
//   the first host of the node           the others
//   ------------------------------------------------------------------
//   makes the file, tells its descriptor  open it
//   asks the launcher for each card       wait
//   publish()                             take()
//
// Each of them would ask the launcher's process on this node for each card: with 32 processes on
// each of four nodes that took 0.2 to 0.5 s of a start of 1.3 s (decision 152).
//
//   file   | state | bytes || bytes of card 0 | card 0 | bytes of card 1 | card 1 | …
//            a page
//
// Where the first host ends before it has published, the bound of the start (start_bound.h) ends
// the others.
//
// Thread safety: one thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "runtime/ways/launcher/launcher.h"

namespace heddle::runtime {

class NodeCards {
 public:
  using Cards = std::vector<launcher::Card>;

  NodeCards() = default;
  ~NodeCards();
  NodeCards(NodeCards&&) = delete;

  // One of these, first.
  Error make();
  // Takes over the descriptor.
  Error open(int descriptor);

  int descriptor() const noexcept { return descriptor_; }

  // Once; the others go on. Null: they could not be fetched.
  Error publish(const Cards* cards);
  // Waits for that. Fails if they could not be fetched.
  Error take(Cards* cards);

 private:
  enum State : std::uint32_t { kAwaited, kThere, kNotToBeHad };
  struct Head {
    std::atomic<std::uint32_t> state;
    std::uint64_t bytes;
  };

  Error map();

  int descriptor_ = -1;
  Head* head_ = nullptr;
};

}  // namespace heddle::runtime
