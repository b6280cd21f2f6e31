#include "base/fork.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "base/platform/memory.h"

namespace heddle {

namespace {

constexpr auto kParts = static_cast<std::size_t>(ForkPart::kCount);
constinit std::array<ForkStages, kParts> parts;

// It is on a page of its own, so that the kernel can clear it. The process's first thread writes
// it, and a child's only one.
constinit std::atomic<pid_t*> host{nullptr};
constinit bool has_become_child = false;

void hold() noexcept {
  for (const ForkStages& part : parts) {
    if (part.hold != nullptr) part.hold();
  }
}

void release() noexcept {
  for (std::size_t i = kParts; i-- > 0;) {
    if (parts[i].release != nullptr) parts[i].release();
  }
}

void release_in_child() noexcept {
  release();
  become_child();
}

int handlers_error() noexcept {
  static const int error = pthread_atfork(hold, release, release_in_child);
  return error;
}

pid_t* make_page() noexcept {
  const platform::Mapping page = platform::map_pages(platform::page_size());
  // Where the kernel cannot clear it, become_child() does.
  if (page.low != nullptr) madvise(page.low, page.bytes, MADV_WIPEONFORK);
  return static_cast<pid_t*>(page.low);
}

}  // namespace

bool at_fork(ForkPart part, const ForkStages& stages) noexcept {
  parts[static_cast<std::size_t>(part)] = stages;
  return handlers_error() == 0;
}

Error become_host() noexcept {
  pid_t* process = host.load(std::memory_order_relaxed);
  if (process == nullptr) process = make_page();
  if (process == nullptr || handlers_error() != 0) {
    return Error::make(kErrorNoMemory, "no memory is left for what children of fork do");
  }
  *process = getpid();
  host.store(process, std::memory_order_relaxed);
  has_become_child = false;
  return {};
}

void become_child() noexcept {
  if (pid_t* const process = host.load(std::memory_order_relaxed)) *process = 0;
  const bool of_host = !std::exchange(has_become_child, true);
  for (std::size_t i = kParts; i-- > 0;) {
    if (parts[i].become_child != nullptr) parts[i].become_child(of_host);
  }
}

const pid_t* host_process() noexcept {
  return host.load(std::memory_order_relaxed);
}

bool is_child() noexcept {
  const pid_t* const process = host_process();
  return process != nullptr && *process == 0;
}

}  // namespace heddle
