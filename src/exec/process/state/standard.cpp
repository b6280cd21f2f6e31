#include "exec/process/state/standard.h"

#include <fcntl.h>
#include <unistd.h>

namespace heddle::process {

Standard::~Standard() {
  if (own() >= 0) close(own());
}

bool Standard::redirect(int descriptor) noexcept {
  const int duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (duplicate < 0) return false;
  const int previous = own_.exchange(duplicate, std::memory_order_relaxed);
  if (previous >= 0) close(previous);
  return true;
}

void Standard::redirect_to_shared(int number) noexcept {
  shared_.store(number, std::memory_order_relaxed);
  const int previous = own_.exchange(-1, std::memory_order_relaxed);
  if (previous >= 0) close(previous);
}

}  // namespace heddle::process
