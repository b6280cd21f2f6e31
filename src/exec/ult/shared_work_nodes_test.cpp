// Shared work on a machine of two NUMA nodes, which hwloc makes up.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "base/platform/cpu.h"
#include "base/platform/signals.h"
#include "base/platform/topology.h"
#include "exec/ult/shared_work.h"
#include "exec/ult/test_support.h"

namespace heddle::ult {
namespace {

// Set before any code looks at the machine.
const int kMadeUp = setenv("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1", 1);

constexpr std::uint32_t kParts = 2000;

class Parts final : public SharedWork {
 public:
  void do_part(std::uint32_t part) noexcept override {
    const int thread = platform::kernel_thread_id();
    for (std::size_t worker = 0; worker < thread_of.size(); ++worker) {
      if (thread_of[worker] == thread) ++done_by[worker];
    }
    // The owner's first part ends when there is help, and no part so fast that only some can help.
    do {
      for (int turn = 0; turn < 1000; ++turn) platform::cpu_relax();
    } while (part == 0 && done_by[0] + done_by[1] + done_by[3] == 0);
  }

  std::array<int, 4> thread_of{};
  std::array<std::atomic<int>, 4> done_by{};
};

TEST(SharedWorkOfTwoNodes, IsHelpedByWorkersOfItsOwn) {
  ASSERT_EQ(kMadeUp, 0);
  ASSERT_EQ(platform::usable_cpus(), (std::vector<int>{0, 1, 2, 3})) << "hwloc has not made it up";
  ASSERT_EQ(platform::numa_node_of(1), 0);
  ASSERT_EQ(platform::numa_node_of(2), 1);
  const ScopedScheduler scheduler(4);
  Parts parts;
  Ults ults;
  for (int worker = 0; worker < 4; ++worker) {
    ults.run_on(worker, [&parts, worker] {
      parts.thread_of[static_cast<std::size_t>(worker)] = platform::kernel_thread_id();
    });
  }
  ults.join_all();
  ults.run_on(2, [&] { share(parts, kParts); });
  ults.join_all();
  EXPECT_EQ(parts.done_by[0] + parts.done_by[1], 0);
  EXPECT_GT(parts.done_by[3], 0);
  EXPECT_EQ(parts.done_by[2] + parts.done_by[3], static_cast<int>(kParts));
}

}  // namespace
}  // namespace heddle::ult
