#include "base/platform/numa_pages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "base/platform/memory.h"
#include "base/platform/topology.h"

namespace heddle::platform {
namespace {

// Pages of the mapping at `low` on `node`, as /proc/self/numa_maps has them; -1: this kernel has no such file.
long pages_in_numa_maps(const void* low, int node) {
  std::ifstream maps("/proc/self/numa_maps");
  if (!maps) return -1;
  std::string line;
  while (std::getline(maps, line)) {
    if (std::stoull(line, nullptr, 16) != reinterpret_cast<unsigned long long>(low)) continue;
    std::istringstream words(line);
    const std::string wanted = "N" + std::to_string(node) + "=";
    for (std::string word; words >> word;) {
      if (word.starts_with(wanted)) return std::stol(word.substr(wanted.size()));
    }
    return 0;
  }
  return 0;
}

struct Pages : testing::Test {
  static constexpr std::size_t kPages = 1100;  // more than two questions
  // A guard below and a mapping of its own policy: a line of its own in numa_maps.
  Mapping mapping = map_stack(kPages * page_size());
  const int node = numa_node_of(usable_cpus().front());
  ~Pages() override { unmap(mapping); }

  std::size_t found_on_node() const {
    const auto found = pages_by_node(mapping.low, mapping.bytes);
    const auto at = static_cast<std::size_t>(node);
    return at < found.size() ? found[at] : 0;
  }
  // Some sandboxes have no such system calls.
  bool can_ask() const { return prefer_node(mapping.low, mapping.bytes, node); }
};

TEST_F(Pages, that_were_touched_are_counted_where_numa_maps_has_them) {
  if (!can_ask()) GTEST_SKIP() << "this kernel has no NUMA policies";
  EXPECT_EQ(found_on_node(), 0U);
  std::memset(mapping.low, 1, 700 * page_size());
  EXPECT_EQ(found_on_node(), 700U);
  const long in_maps = pages_in_numa_maps(mapping.low, node);
  if (in_maps >= 0) {
    EXPECT_EQ(in_maps, 700);
  }
}

TEST_F(Pages, that_move_to_their_own_node_keep_what_is_in_them) {
  if (!can_ask()) GTEST_SKIP() << "this kernel has no NUMA policies";
  std::memset(mapping.low, 7, mapping.bytes);
  EXPECT_TRUE(move_to_node(mapping.low, mapping.bytes, node));
  EXPECT_EQ(found_on_node(), kPages);
  EXPECT_EQ(static_cast<const char*>(mapping.low)[mapping.bytes - 1], 7);
}

TEST_F(Pages, go_to_no_node_that_does_not_exist) {
  EXPECT_FALSE(prefer_node(mapping.low, mapping.bytes, -1));
  EXPECT_FALSE(prefer_node(mapping.low, mapping.bytes, 1023));
  EXPECT_FALSE(move_to_node(mapping.low, mapping.bytes, 1024));
}

}  // namespace
}  // namespace heddle::platform
