#include "runtime/even_loads.h"

#include <cmath>

namespace heddle::runtime {

namespace {

// Of the time: what the busiest worker must spend. Little, because it may share its core with other programs.
constexpr double kBusy = 0.02;
constexpr double kLeastGain = 0.05;  // of the mean load of a worker
constexpr int kNone = -1;

double load_at(const MPIX_Loads& loads, int worker) noexcept {
  double sum = 0;
  for (int rank = 0; rank < loads.ranks; ++rank) {
    if (loads.places[rank] == worker) sum += loads.rank_loads[rank];
  }
  return sum;
}

struct Extremes {
  int most = 0, least = 0;
  double of_most = 0, of_least = 0, mean = 0;
};

Extremes find_extremes(const MPIX_Loads& loads) noexcept {
  Extremes found;
  for (int worker = 0; worker < loads.workers; ++worker) {
    const double load = load_at(loads, worker);
    if (worker == 0 || load > found.of_most) found.most = worker, found.of_most = load;
    if (worker == 0 || load < found.of_least) found.least = worker, found.of_least = load;
    found.mean += load / loads.workers;
  }
  return found;
}

// How much smaller the difference of both is if so much load goes.
double gain_of(double load, double difference) noexcept {
  return difference - std::abs(difference - 2 * load);
}

int choose(const MPIX_Loads& loads, const Extremes& at) noexcept {
  const double difference = at.of_most - at.of_least;
  double best = kLeastGain * at.mean;
  int chosen = kNone;
  for (int rank = 0; rank < loads.ranks; ++rank) {
    if (loads.places[rank] != at.most) continue;
    const double gain = gain_of(loads.rank_loads[rank], difference);
    // The last of equals where the other worker comes later, else the first.
    if (gain > best || (gain == best && chosen != kNone && at.least > at.most)) {
      best = gain;
      chosen = rank;
    }
  }
  return chosen;
}

}  // namespace

void even_loads(MPIX_Loads* loads, void*) noexcept {
  if (loads->workers < 2) return;
  const int most_moves = 2 * loads->workers;  // so that it takes a few milliseconds at most
  for (int moves = 0; moves < most_moves; ++moves) {
    const Extremes at = find_extremes(*loads);
    if (at.of_most < kBusy * loads->seconds) return;
    const int rank = choose(*loads, at);
    if (rank == kNone) return;
    loads->places[rank] = at.least;
  }
}

}  // namespace heddle::runtime
