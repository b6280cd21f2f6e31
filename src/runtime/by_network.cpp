#include "runtime/by_network.h"

#include <unistd.h>

#include "base/settings.h"
#include "runtime/page_launcher.h"

namespace heddle::runtime {

std::unique_ptr<LaunchedJob> by_network(const ProcessRank& process) {
  const bool everywhere =
      settings::value(settings::Id::kNetwork) == static_cast<int>(settings::Network::kEverywhere);
  if (!process.is_one() || process.processes == 1 || !everywhere) return nullptr;
  close(process.memory);
  return LaunchedJob::by(std::make_unique<PageLauncher>(*job_page(), process.number));
}

}  // namespace heddle::runtime
