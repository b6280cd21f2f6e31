#include "base/platform/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace heddle::platform {

namespace {

std::atomic<bool> prepared{false};

bool membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

bool prepare_fence_all() noexcept {
  if (!has_fence_all() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)) {
    prepared.store(true, std::memory_order_relaxed);
  }
  return has_fence_all();
}

bool has_fence_all() noexcept {
  return prepared.load(std::memory_order_relaxed);
}

void fence_all() noexcept {
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace heddle::platform
