// load.h — how much a rank loads its worker, and how often it was moved to another one.
//
// The load is the processor time that workers have spent on the rank's strands between their waits,
// in sum and by worker: threads of a rank run on several. It is counted from measure_loads() on:
// then each switch reads a clock (exec/ult/processor_time.h). Before, nothing is measured.
//
// Thread safety: any thread. A Load lives as long as its Rank.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "exec/ult/account.h"

namespace heddle::process {

struct Load {
  Load();
  Load(Load&&) = delete;

  ult::Account spent;  // behind by a time slice at most, where there are slices
  std::vector<std::atomic<std::int64_t>> spent_by_worker;  // empty where there are no workers
  std::atomic<std::uint64_t> moves{0};
};

// From now on it is measured. Again: nothing happens. By a strand of a rank; or before there are
// ranks, of which the process will carry so many.
void measure_loads() noexcept;
void measure_loads(int ranks) noexcept;

}  // namespace heddle::process
