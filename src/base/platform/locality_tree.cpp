#include "base/platform/locality_tree.h"

#include <algorithm>

#include "base/platform/placement.h"

namespace heddle::platform {

LocalityTree::LocalityTree(std::span<const Core> cores) : nodes_(cores.size()) {
  std::vector<Core> tops(cores.begin(), cores.end());  // a core below each node without a parent
  Level level(cores.size());
  for (std::size_t i = 0; i < level.size(); ++i) level[i] = i;
  for (const Part part : {Part::kL3Cache, Part::kNumaNode, Part::kSocket}) {
    Level above;
    std::vector<Core> tops_above;
    for (const std::vector<std::size_t>& members : parts_of(tops, part)) {
      Level inside;
      for (const std::size_t member : members) inside.push_back(level[member]);
      above.push_back(join(std::move(inside)));
      tops_above.push_back(tops[members.front()]);
    }
    level = std::move(above);
    tops = std::move(tops_above);
  }
  join(std::move(level));
}

// Puts one node above all of `level`.
std::size_t LocalityTree::join(Level level) {
  while (level.size() > 1) {
    Level above;
    for (std::size_t first = 0; first < level.size(); first += kFanIn) {
      const std::size_t count = std::min(kFanIn, level.size() - first);
      if (count == 1) {
        above.push_back(level[first]);
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) nodes_[level[first + i]].parent = nodes_.size();
      above.push_back(nodes_.size());
      nodes_.push_back({kNone, count});
    }
    level = std::move(above);
  }
  return level.front();
}

}  // namespace heddle::platform
