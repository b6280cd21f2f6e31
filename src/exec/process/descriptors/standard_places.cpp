#include "exec/process/descriptors/standard_places.h"

#include <fcntl.h>
#include <unistd.h>

namespace heddle::process {

StandardPlaces::StandardPlaces(const RankState& state) noexcept {
  for (int i = 0; i < 3; ++i) {
    const Standard& standard = state.standard[i];
    Found& found = found_[static_cast<std::size_t>(i)];
    if (standard.is_closed()) {
      found.is_nothing = true;
    } else if (standard.own() >= 0) {
      found = {standard.own(), false, false};
    } else if (i == 0 && !state.has_input) {
      found = {open("/dev/null", O_RDONLY | O_CLOEXEC), true, false};
    } else if (standard.shared() != i) {
      found = {fcntl(standard.shared(), F_DUPFD_CLOEXEC, 3), true, false};
    }
  }
}

StandardPlaces::~StandardPlaces() {
  for (const Found& found : found_) {
    if (found.is_made && found.descriptor > 2) close(found.descriptor);
  }
}

void StandardPlaces::fill() const noexcept {
  for (int i = 0; i < 3; ++i) {
    if (at(i) >= 0) dup2(at(i), i);
    if (is_empty(i)) close(i);
  }
}

}  // namespace heddle::process
