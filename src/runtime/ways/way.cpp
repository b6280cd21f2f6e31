#include "runtime/ways/way.h"

#include <algorithm>

namespace heddle::runtime {

int Way::number_on_node() const noexcept {
  const auto own = nodes_.begin() + process_;
  return static_cast<int>(std::count(nodes_.begin(), own, *own));
}

int Way::processes_on_node() const noexcept {
  return static_cast<int>(std::count(nodes_.begin(), nodes_.end(), *(nodes_.begin() + process_)));
}

Layout Way::layout(int ranks, const int* host_of) const {
  return {ranks, nodes_, host_of};
}

}  // namespace heddle::runtime
