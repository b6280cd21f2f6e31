// load_window.h — what ranks and workers of this process were loaded with between two looks at
// them.
//
// Thread safety: none; but ranks may move, begin and end meanwhile.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/mpix.h"
#include "runtime/crew/resident.h"

namespace heddle::runtime {

class LoadWindow {
 public:
  // The first window begins now. Loads must be measured already (exec/process/time/load.h).
  explicit LoadWindow(std::span<Resident> residents);

  // Ends the window, and begins the next one.
  void look() noexcept;

  // These tell of the window that look() has ended, with the residents' indices. A rank that has
  // not begun or has ended has the worker -1 (places).
  double seconds() const noexcept { return seconds_; }
  const std::vector<double>& ranks() const noexcept { return ranks_; }
  const std::vector<double>& workers() const noexcept { return workers_; }
  // [ranks][workers]
  const std::vector<double>& ranks_by_worker() const noexcept { return ranks_by_worker_; }
  const std::vector<int>& places() const noexcept { return places_; }

 private:
  std::span<Resident> residents_;
  std::int64_t since_ns_ = 0;
  std::vector<std::int64_t> rank_before_, worker_before_, rank_by_worker_before_;
  double seconds_ = 0;
  std::vector<double> ranks_, workers_, ranks_by_worker_;
  std::vector<std::int64_t> of_rank_;  // of one, by worker
  std::vector<int> places_;
};

}  // namespace heddle::runtime
