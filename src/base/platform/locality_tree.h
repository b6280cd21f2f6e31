// locality_tree.h — a tree over cores that goes by the machine: cores with a common L3 cache come
// together first, then those of a NUMA node, then those of a socket.
//
//   cores with a common L3     0 1 2 3   4 5 6 7         8 9 10 11   12 13 14 15
//   of a NUMA node             └──16──┘  └──17──┘        └───18───┘  └───19────┘
//   all                             └─20─┘                       └──21──┘
//                                      └────────────22──────────────┘
//
// A node has at most kFanIn children: larger parts are divided. It has at least two, so a part of
// the machine with one core adds no level. What is written by many cores in turn is then written in
// a cache line that moves a short way.
//
// Thread safety: pure.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/platform/topology.h"

namespace heddle::platform {

class LocalityTree {
 public:
  static constexpr std::size_t kFanIn = 8;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Node {
    std::size_t parent = kNone;  // a later one; kNone: the root, which is the last
    std::size_t children = 0;
  };

  // Node i is core i, for each of `cores`; there is at least one.
  explicit LocalityTree(std::span<const Core> cores);

  const std::vector<Node>& nodes() const noexcept { return nodes_; }

 private:
  using Level = std::vector<std::size_t>;  // nodes without a parent
  std::size_t join(Level level);

  std::vector<Node> nodes_;
};

}  // namespace heddle::platform
