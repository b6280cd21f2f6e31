#include "runtime/crew/workers_of_ranks.h"

#include "base/platform/topology.h"
#include "exec/ult/scheduler.h"

namespace heddle::runtime {

namespace {

// 0-3,8: `numbers` in ascending order.
std::string ranges_of(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[first]);
    if (last > first) text += "-" + std::to_string(numbers[last]);
  }
  return text;
}

}  // namespace

std::vector<platform::Core> cores_of_workers() {
  std::vector<platform::Core> cores;
  cores.reserve(static_cast<std::size_t>(ult::worker_count()));
  for (int worker = 0; worker < ult::worker_count(); ++worker) {
    cores.push_back(ult::core_of(worker));
  }
  return cores;
}

std::vector<int> workers_of_ranks(std::size_t ranks,
                                  std::span<const platform::Core> cores_of_workers,
                                  const platform::Placement& placement) {
  std::vector<int> workers;
  for (const std::size_t worker : platform::map_to_cores(ranks, cores_of_workers, placement)) {
    workers.push_back(static_cast<int>(worker));
  }
  return workers;
}

std::string report_of(std::span<const int> ranks, std::span<const int> workers,
                      std::span<const platform::Core> cores_of_workers, bool bound) {
  const std::vector<platform::Core>& usable = platform::usable_cores();
  std::string text;
  for (std::size_t worker = 0; worker < cores_of_workers.size(); ++worker) {
    std::vector<int> here;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (workers[i] == static_cast<int>(worker)) here.push_back(ranks[i]);
    }
    std::vector<std::size_t> cores;
    for (std::size_t i = 0; bound && i < usable.size(); ++i) {
      if (usable[i].cpu == cores_of_workers[worker].cpu) cores.push_back(i);
    }
    text += "mpiexec: worker " + std::to_string(worker) +
            (bound ? " on " + platform::draw(usable, cores) : " is not bound") + ": " +
            (here.empty()       ? "no rank"
             : here.size() == 1 ? "rank " + ranges_of(here)
                                : "ranks " + ranges_of(here)) +
            "\n";
  }
  return text;
}

}  // namespace heddle::runtime
