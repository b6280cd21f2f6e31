#include "launch/mpiexec/spread.h"

#include <algorithm>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

std::vector<int> counts_by_slots(int ranks, const std::vector<Machine>& machines) {
  std::vector<int> counts(machines.size());
  for (std::size_t i = 0; ranks > 0; i = (i + 1) % machines.size()) {
    const int more = std::min(ranks, std::max(machines[i].slots, 1));
    counts[i] += more;
    ranks -= more;
  }
  return counts;
}

// As hosts share out ranks if they are told nothing (runtime/layout.h).
std::vector<int> even_counts(int ranks, int machines) {
  std::vector<int> counts(static_cast<std::size_t>(machines));
  for (long rank = 0; rank < ranks; ++rank)
    ++counts[static_cast<std::size_t>(rank * machines / ranks)];
  return counts;
}

std::vector<int> counts_of(int ranks, const std::vector<Machine>& machines, int ranks_a_machine) {
  const int most = static_cast<int>(machines.size());
  const bool sized = std::any_of(machines.begin(), machines.end(),
                                 [](const Machine& each) { return each.slots > 0; });
  if (ranks_a_machine == 0) {
    return sized ? counts_by_slots(ranks, machines) : even_counts(ranks, std::min(most, ranks));
  }
  const int wanted = (ranks + ranks_a_machine - 1) / ranks_a_machine;
  if (wanted > most) {
    fail_usage("the job has " + std::to_string(ranks) + " ranks, but " + std::to_string(most) +
               " machines with " + std::to_string(ranks_a_machine) + " each carry fewer");
  }
  return even_counts(ranks, wanted);
}

}  // namespace

std::vector<int> spread_ranks(int ranks, const std::vector<Machine>& machines, int ranks_a_machine,
                              bool by_node) {
  std::vector<int> counts = counts_of(ranks, machines, ranks_a_machine);
  std::vector<int> placed;
  for (std::size_t i = 0; placed.size() < static_cast<std::size_t>(ranks);
       i = (i + 1) % counts.size()) {
    const int here = by_node ? std::min(counts[i], 1) : counts[i];
    placed.insert(placed.end(), static_cast<std::size_t>(here), static_cast<int>(i));
    counts[i] -= here;
  }
  return placed;
}

}  // namespace heddle::launch
