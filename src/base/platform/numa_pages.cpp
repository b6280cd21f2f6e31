#include "base/platform/numa_pages.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>

#include "base/platform/memory.h"

namespace heddle::platform {

namespace {

constexpr int kMostNodes = 1024;  // the kernel's own limit
constexpr int kBitsOfWord = sizeof(unsigned long) * CHAR_BIT;

bool bind(void* low, std::size_t bytes, int node, unsigned flags) noexcept {
  if (node < 0 || node >= kMostNodes) return false;
  std::array<unsigned long, kMostNodes / kBitsOfWord> nodes{};
  nodes[static_cast<std::size_t>(node / kBitsOfWord)] = 1UL << (node % kBitsOfWord);
  // The kernel reads one bit less than it is told.
  return syscall(SYS_mbind, low, bytes, MPOL_PREFERRED, nodes.data(), kMostNodes + 1, flags) == 0;
}

}  // namespace

bool prefer_node(void* low, std::size_t bytes, int node) noexcept {
  return bind(low, bytes, node, 0);
}

bool move_to_node(void* low, std::size_t bytes, int node) noexcept {
  return bind(low, bytes, node, MPOL_MF_MOVE | MPOL_MF_STRICT);
}

std::vector<std::size_t> pages_by_node(const void* low, std::size_t bytes) {
  constexpr std::size_t kAtOnce = 512;
  std::vector<std::size_t> found;
  std::array<const void*, kAtOnce> pages;
  std::array<int, kAtOnce> nodes;
  const char* page = static_cast<const char*>(low);
  std::size_t left = bytes / page_size();
  while (left != 0) {
    const std::size_t count = std::min(left, kAtOnce);
    for (std::size_t i = 0; i < count; ++i, page += page_size()) pages[i] = page;
    left -= count;
    // Without nodes to go to, it tells where the pages are.
    if (syscall(SYS_move_pages, 0, count, pages.data(), nullptr, nodes.data(), 0) != 0)
      return found;
    for (std::size_t i = 0; i < count; ++i) {
      if (nodes[i] < 0) continue;  // not touched
      const auto node = static_cast<std::size_t>(nodes[i]);
      if (found.size() <= node) found.resize(node + 1);
      ++found[node];
    }
  }
  return found;
}

}  // namespace heddle::platform
