#include "runtime/hosts.h"

#include "exec/ult/scheduler.h"
#include "net/channel/channels.h"

namespace heddle::runtime {

Hosts::Hosts(int ranks, const Pretence& pretence) : layout_(ranks, pretence) {
  const int hosts = layout_.hosts();
  const auto parts = std::make_shared<world::SharedParts>();
  for (int host = 0; host < hosts; ++host) {
    members_.push_back(std::make_unique<Members>(layout_, host, parts));
  }
  if (hosts == 1) return;
  fabric_ =
      std::make_unique<transport::FakeFabric>(hosts, channel::usual_count(ult::worker_count()),
                                              transport::Faults::from_seed(pretence.fault_seed));
  for (int host = 0; host < hosts; ++host) {
    members_[static_cast<std::size_t>(host)]->connect(fabric_->attach(host));
  }
}

Hosts::~Hosts() {
  for (auto& members : members_) members->disconnect();
}

void Hosts::place(int rank, int worker) noexcept {
  for (auto& members : members_) members->place(rank, worker);
}

void Hosts::settle(const Rank& rank) {
  members_of(rank.number()).settle(rank);
}

}  // namespace heddle::runtime
