#include "launch/mpiexec/spread.h"

#include <algorithm>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

bool has_slots(const std::vector<Machine>& machines) {
  return std::any_of(machines.begin(), machines.end(),
                     [](const Machine& each) { return each.slots > 0; });
}

std::vector<int> counts_by_slots(int ranks, const std::vector<Machine>& machines) {
  std::vector<int> counts(machines.size());
  for (std::size_t i = 0; ranks > 0; i = (i + 1) % machines.size()) {
    const int more = std::min(ranks, std::max(machines[i].slots, 1));
    counts[i] += more;
    ranks -= more;
  }
  return counts;
}

// Shares ranks out as hosts do if they are told nothing (runtime/ways/layout.h).
std::vector<int> even_counts(int ranks, int machines) {
  std::vector<int> counts(static_cast<std::size_t>(machines));
  for (long rank = 0; rank < ranks; ++rank)
    ++counts[static_cast<std::size_t>(rank * machines / ranks)];
  return counts;
}

std::vector<int> counts_of(int ranks, const std::vector<Machine>& machines, int ranks_a_machine) {
  const int most = static_cast<int>(machines.size());
  if (ranks_a_machine == 0) {
    return has_slots(machines) ? counts_by_slots(ranks, machines)
                               : even_counts(ranks, std::min(most, ranks));
  }
  const int wanted = (ranks + ranks_a_machine - 1) / ranks_a_machine;
  if (wanted > most) {
    fail_usage("the job has " + std::to_string(ranks) + " ranks, but " + std::to_string(most) +
               " machines with " + std::to_string(ranks_a_machine) + " each carry fewer");
  }
  return even_counts(ranks, wanted);
}

// Deals ranks out in turn, as long as a machine has room; when none has any, all have as much
// again.
std::vector<int> deal(int ranks, const std::vector<int>& room) {
  const int most = *std::ranges::max_element(room);
  std::vector<int> dealt;
  for (int turn = 0; dealt.size() < static_cast<std::size_t>(ranks); turn = (turn + 1) % most) {
    for (std::size_t i = 0; i < room.size(); ++i) {
      if (room[i] > turn) dealt.push_back(static_cast<int>(i));
    }
  }
  dealt.resize(static_cast<std::size_t>(ranks));
  return dealt;
}

}  // namespace

std::vector<int> spread_ranks(int ranks, const std::vector<Machine>& machines, int ranks_a_machine,
                              bool by_node) {
  const std::vector<int> counts = counts_of(ranks, machines, ranks_a_machine);
  if (by_node) {
    std::vector<int> room(counts.size(), 1);
    for (std::size_t i = 0; i < room.size() && ranks_a_machine == 0; ++i) {
      room[i] = std::max(machines[i].slots, 1);
    }
    return deal(ranks, room);
  }
  std::vector<int> placed;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    placed.insert(placed.end(), static_cast<std::size_t>(counts[i]), static_cast<int>(i));
  }
  return placed;
}

}  // namespace heddle::launch
