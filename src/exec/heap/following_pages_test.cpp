#include "exec/heap/following_pages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "base/platform/memory.h"
#include "base/platform/numa_pages.h"
#include "base/platform/topology.h"

namespace heddle::heap {
namespace {

constexpr std::size_t kPages = 300;

TEST(FollowingPages, keep_what_is_in_them_and_go_where_they_were_last_told) {
  const platform::Mapping mapping = platform::map_stack(kPages * platform::page_size());
  std::memset(mapping.low, 3, mapping.bytes);
  const int home = platform::numa_node_of(platform::usable_cpus().front());
  const auto pages = FollowingPages::on(home);
  pages->add(mapping.low, mapping.bytes);
  // Nodes that do not exist: those moves fail.
  std::vector<std::thread> tellers;
  tellers.reserve(4);
  for (int teller = 0; teller < 4; ++teller) {
    tellers.emplace_back([&pages, teller] {
      for (int i = 0; i < 100; ++i) FollowingPages::follow(pages, 900 + (i + teller) % 3);
    });
  }
  for (std::thread& teller : tellers) teller.join();
  FollowingPages::follow(pages, home);
  while (pages->is_moving()) std::this_thread::yield();
  for (std::size_t i = 0; i < mapping.bytes; ++i) ASSERT_EQ(static_cast<char*>(mapping.low)[i], 3);
  if (!platform::prefer_node(mapping.low, mapping.bytes, home))
    GTEST_SKIP() << "this kernel has no NUMA policies";
  const auto found = platform::pages_by_node(mapping.low, mapping.bytes);
  ASSERT_GT(found.size(), static_cast<std::size_t>(home));
  EXPECT_EQ(found[static_cast<std::size_t>(home)], kPages);
  platform::unmap(mapping);
}

TEST(FollowingPages, that_are_told_where_they_are_need_no_thread) {
  const platform::Mapping mapping = platform::map_pages(platform::page_size());
  const auto pages = FollowingPages::on(0);
  pages->add(mapping.low, mapping.bytes);
  FollowingPages::follow(pages, 0);
  EXPECT_FALSE(pages->is_moving());
  platform::unmap(mapping);
}

TEST(FollowingPages, may_be_added_during_moves_and_let_go) {
  const platform::Mapping mapping = platform::map_pages(kPages * platform::page_size());
  std::memset(mapping.low, 5, mapping.bytes);
  const auto pages = FollowingPages::on(0);
  std::thread adds([&] {
    for (std::size_t i = 0; i < kPages; ++i)
      pages->add(static_cast<char*>(mapping.low) + i * platform::page_size(),
                 platform::page_size());
  });
  for (int i = 0; i < 100; ++i) FollowingPages::follow(pages, i % 2 == 0 ? 900 : 0);
  adds.join();
  while (pages->is_moving()) std::this_thread::yield();
  pages->stop();
  platform::unmap(mapping);
  FollowingPages::follow(pages, 901);  // of nothing
  while (pages->is_moving()) std::this_thread::yield();
}

}  // namespace
}  // namespace heddle::heap
