#include "launch/mpiexec/reports.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/platform/topology.h"
#include "base/settings.h"
#include "exec/observe/table.h"
#include "exec/observe/trace_frame.h"

namespace heddle::launch {

runtime::FiguresInPage figures_of(const CommandLine& line, int ranks) {
  if (settings::value(settings::Id::kStats) != static_cast<int>(settings::Stats::kYes)) return {};
  runtime::FiguresInPage figures{.ranks = ranks, .workers_each = line.workers};
  if (line.processes == 0) {
    figures.workers_each = 0;  // ranks are processes
  } else if (line.workers == 0) {
    figures.workers_each = static_cast<int>(platform::usable_cpus().size());
  }
  return figures;
}

void print_figures(runtime::JobPage& page) {
  if (page.figures.ranks == 0) return;
  std::cerr << observe::table_of(page.rank_figures(), page.worker_figures(),
                                 page.figures.workers_each);
}

void join_traces(int processes) {
  const std::string& path = settings::text(settings::Id::kTrace);
  if (path.empty() || processes == 1) return;
  std::ofstream whole(path, std::ios::binary);
  whole << observe::kTraceOpening;
  int missing = 0;
  for (int i = 0; i < processes; ++i) {
    const std::string part = observe::part_of_trace(path, i);
    std::ifstream from(part, std::ios::binary);
    if (!from.is_open()) {
      ++missing;
      continue;
    }
    if (from.peek() != std::ifstream::traits_type::eof()) whole << from.rdbuf();
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
  }
  whole << observe::kTraceClosing;
  whole.close();
  if (whole.fail()) {
    std::cerr << "mpiexec: no trace can be written to " << path << ": " << std::strerror(errno)
              << '\n';
  }
  if (missing != 0) {
    std::cerr << "mpiexec: " << missing << " of " << processes
              << " processes have ended early, and are missing in the trace\n";
  }
}

}  // namespace heddle::launch
