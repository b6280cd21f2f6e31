#include "runtime/balance/even_loads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace heddle::runtime {

namespace {

// The part of the time that the busiest worker must spend. It is little, because the worker may
// share its core with other programs.
constexpr double kBusy = 0.02;
constexpr double kLeastGain = 0.05;  // of the mean load of a worker
constexpr int kNone = -1;

class Evening {
 public:
  explicit Evening(MPIX_Loads& loads)
      : loads_(loads),
        sums_(static_cast<std::size_t>(loads.workers)),
        moved_(static_cast<std::size_t>(loads.ranks)) {
    for (int rank = 0; rank < loads.ranks; ++rank) {
      for (int worker = 0; worker < loads.workers; ++worker) sum(worker) += part(rank, worker);
    }
  }

  // False: nothing is to be gained any more.
  bool move_one() {
    const auto [least, most] = std::minmax_element(sums_.begin(), sums_.end());
    if (*most < kBusy * loads_.seconds) return false;
    const int from = static_cast<int>(most - sums_.begin());
    const int to = static_cast<int>(least - sums_.begin());
    const int rank = choose(from, to);
    if (rank == kNone) return false;
    for (int worker = 0; worker < loads_.workers; ++worker) sum(worker) -= part(rank, worker);
    sum(to) += loads_.rank_loads[rank];
    loads_.places[rank] = to;
    moved_[static_cast<std::size_t>(rank)] = true;
    return true;
  }

 private:
  double& sum(int worker) noexcept { return sums_[static_cast<std::size_t>(worker)]; }

  // What the rank loads the worker with. One that has moved has all its threads with it.
  double part(int rank, int worker) const noexcept {
    if (moved_[static_cast<std::size_t>(rank)]) {
      return loads_.places[rank] == worker ? loads_.rank_loads[rank] : 0;
    }
    return loads_.rank_loads_by_worker[static_cast<std::ptrdiff_t>(rank) * loads_.workers + worker];
  }

  // How much smaller the difference of both workers is if the rank goes.
  double gain_of(int rank, int from, int to) noexcept {
    const double after_from = sum(from) - part(rank, from);
    const double after_to = sum(to) - part(rank, to) + loads_.rank_loads[rank];
    return sum(from) - sum(to) - std::abs(after_from - after_to);
  }

  int choose(int from, int to) {
    double mean = 0;
    for (const double load : sums_) mean += load / loads_.workers;
    double best = kLeastGain * mean;
    int chosen = kNone;
    for (int rank = 0; rank < loads_.ranks; ++rank) {
      if (loads_.places[rank] != from) continue;
      const double gain = gain_of(rank, from, to);
      // The last of equals where the other worker comes later, else the first.
      if (gain > best || (gain == best && chosen != kNone && to > from)) {
        best = gain;
        chosen = rank;
      }
    }
    return chosen;
  }

  MPIX_Loads& loads_;
  std::vector<double> sums_;  // of each worker
  std::vector<bool> moved_;
};

}  // namespace

void even_loads(MPIX_Loads* loads, void*) noexcept {
  if (loads->workers < 2) return;
  Evening evening(*loads);
  const int most_moves = 2 * loads->workers;  // so that it takes a few milliseconds at most
  for (int moves = 0; moves < most_moves && evening.move_one(); ++moves) {
  }
}

}  // namespace heddle::runtime
