#include "net/world/host.h"

namespace heddle::world {

const RankLocal<Here, Place::kProcess> here_of_rank;

Host::Host(JobId job, int number, int ranks) : context_ids_(job, number) {
  add_job(job, ranks);
}

Job& Host::add_job(JobId job, int ranks) {
  jobs_.push_back(std::make_unique<Job>(job, ranks));
  return *jobs_.back();
}

Process* Host::find(const ProcessName& name) const noexcept {
  for (const auto& job : jobs_) {
    if (job->id() == name.job) return job->find(name.number);
  }
  return nullptr;
}

bool Host::has(const Process& process) const noexcept {
  return find(process.name()) == &process;
}

bool is_known_here(const Process& process) noexcept {
  if (Rank::current() == nullptr) return true;
  const Host* host = here().host;
  return host == nullptr || host->has(process);
}

}  // namespace heddle::world
