#include "exec/observe/table.h"

#include <cstdio>
#include <utility>

namespace heddle::observe {

namespace {

double seconds(const Sum& nanoseconds) noexcept {
  return static_cast<double>(nanoseconds.value()) * 1e-9;
}

long long count(const Sum& sum) noexcept {
  return static_cast<long long>(sum.value());
}

// "3", or "1.3" for worker 3 of process 1 of several.
std::string name_of(std::size_t worker, std::size_t each, bool several) {
  const std::string number = std::to_string(worker % each);
  return several ? std::to_string(worker / each) + "." + number : number;
}

}  // namespace

std::string table_of(std::span<const RankFigures> ranks, std::span<const WorkerFigures> workers,
                     int workers_each) {
  std::string text;
  char line[160];
  const auto each = static_cast<std::size_t>(workers_each);
  const char* title = "  worker      busy s      idle s    switches       moves\n";
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const WorkerFigures& of = workers[i];
    if (of.elapsed_ns.value() == 0) continue;
    text += std::exchange(title, "");
    std::snprintf(line, sizeof line, "%8s%12.3f%12.3f%12lld%12lld\n",
                  name_of(i, each, workers.size() > each).c_str(),
                  seconds(of.elapsed_ns) - seconds(of.idle_total_ns), seconds(of.idle_total_ns),
                  count(of.switches), count(of.moves));
    text += line;
  }
  text +=
      "    rank    in MPI s   waiting s       calls       waits        sent  sent bytes"
      "    received  recv. bytes\n";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankFigures& of = ranks[i];
    std::snprintf(line, sizeof line, "%8zu%12.3f%12.3f%12lld%12lld%12lld%12lld%12lld%13lld\n", i,
                  seconds(of.mpi_ns), seconds(of.wait_ns), count(of.calls), count(of.waits),
                  count(of.sent), count(of.sent_bytes), count(of.received),
                  count(of.received_bytes));
    text += line;
  }
  return text;
}

}  // namespace heddle::observe
