#include "base/platform/topology.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/single_threaded.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>

namespace heddle::platform {
namespace {

// Before the others, since the first question is the one that looks.
TEST(Topology, LoadsNoPluginsOfHwloc) {
  if (__libc_single_threaded == 0) GTEST_SKIP() << "a sanitizer has a thread of its own";
  unsetenv("HWLOC_PLUGINS_PATH");
  ASSERT_FALSE(usable_cpus().empty());
  EXPECT_EQ(std::getenv("HWLOC_PLUGINS_PATH"), nullptr);
  std::ifstream maps("/proc/self/maps");
  const std::string all{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_EQ(all.find("/hwloc/hwloc_"), std::string::npos);
}

TEST(Topology, UsesOnlyCpusThatTheMaskOfTheProcessAllows) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  ASSERT_FALSE(usable_cpus().empty());
  for (int cpu : usable_cpus()) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &allowed));
}

TEST(Topology, NamesEachCpuOnce) {
  const std::vector<int>& cpus = usable_cpus();
  EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), cpus.size());
}

TEST(Topology, KnowsTheNodeOfEachCpuAsTheKernelDoes) {
  for (const int cpu : usable_cpus()) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/node";
    EXPECT_TRUE(!std::filesystem::exists("/sys/devices/system/node") ||
                std::filesystem::exists(folder + std::to_string(numa_node_of(cpu))));
  }
}

TEST(Topology, BindsTheCallingThreadOnly) {
  cpu_set_t before;
  cpu_set_t after;
  cpu_set_t bound;
  sched_getaffinity(0, sizeof before, &before);
  std::thread([&bound] {
    ASSERT_TRUE(bind_this_thread(usable_cpus().back()));
    sched_getaffinity(0, sizeof bound, &bound);
  }).join();
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_EQ(CPU_COUNT(&bound), 1);
  EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(usable_cpus().back()), &bound));
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace heddle::platform
