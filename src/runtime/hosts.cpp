#include "runtime/hosts.h"

#include <algorithm>
#include <utility>

#include "exec/ult/poller.h"
#include "exec/ult/scheduler.h"
#include "net/channel/channels.h"
#include "runtime/abort.h"

namespace heddle::runtime {

Hosts::Hosts(int ranks, const Pretence& pretence) : layout_(ranks, pretence) {
  const int hosts = layout_.hosts();
  for (int host = 0; host < hosts; ++host) {
    members_.push_back(std::make_unique<Members>(layout_, host));
  }
}

Hosts::Hosts(Layout layout, int here)
    : layout_(std::move(layout)), here_(here), members_(static_cast<std::size_t>(layout_.hosts())) {
  members_[static_cast<std::size_t>(here)] = std::make_unique<Members>(layout_, here);
}

Hosts::Hosts(Layout layout, LaunchedJob& launched, const ProcessRank& process, bool checks_deadlock)
    : Hosts(std::move(layout), launched.host()) {
  launched_ = &launched;
  checks_deadlock_ = checks_deadlock;
  process_ = process;
}

// All on one node.
Hosts::Hosts(int ranks, const ProcessRank& process)
    : Hosts(Layout(ranks, std::vector<int>(static_cast<std::size_t>(process.processes))),
            process.number) {
  process_ = process;
}

std::vector<int> Hosts::ranks_here() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    if (members_[static_cast<std::size_t>(layout_.host(rank))] != nullptr) ranks.push_back(rank);
  }
  return ranks;
}

namespace {
// The watch of such a job only carries the words of deadlock_over_hosts.h.
void leave_to_mpiexec(int, const std::string&) {}
}  // namespace

Error Hosts::connect_to_processes() {
  const transport::Opening opening{here_, channel::usual_count(ult::worker_count()), ult::nudge};
  transport::Routes routes;
  if (launched_ != nullptr) {
    if (checks_deadlock_) still_hosts_ = new StillHosts(here_, layout_.hosts());
    // Our mpiexec is the parent of all, and sees them die. Without words to carry there is no watch
    // then.
    const watch::Ender of_mpiexec = checks_deadlock_ ? leave_to_mpiexec : nullptr;
    const watch::Ender end = process_.is_one() ? of_mpiexec : abort_for_others;
    if (Error e = launched_->connect(layout_, opening, end, still_hosts_, &routes)) return e;
  } else {
    memory_ = new NodeMemory;
    if (Error e = memory_->connect(process_, opening, &routes)) return e;
  }
  members_[static_cast<std::size_t>(here_)]->connect(std::move(routes));
  return {};
}

void Hosts::leave() noexcept {
  if (here_ == kAll) return;
  members_[static_cast<std::size_t>(here_)]->disconnect_orderly();
  if (launched_ != nullptr) launched_->leave();
}

Error Hosts::connect(Factories factories) {
  if (members_.size() == 1) return {};
  if (here_ != kAll) return connect_to_processes();
  std::vector<transport::Location> locations(members_.size());
  for (std::size_t i = 0; i < locations.size(); ++i) {
    locations[i] = {static_cast<int>(i), layout_.node_of_host[i]};
  }
  std::vector<WireUp> opened(members_.size());
  std::vector<HostCard> cards;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const transport::Opening opening{static_cast<int>(i), channel::usual_count(ult::worker_count()),
                                     ult::nudge};
    if (Error e = WireUp::open(factories, opening, locations, &opened[i])) return e;
    cards.push_back(opened[i].card());
  }
  std::vector<transport::Routes> routes(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (Error e = std::move(opened[i]).connect(cards, &routes[i])) return e;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->connect(std::move(routes[i]));
  return {};
}

Hosts::~Hosts() {
  for (auto& members : members_) {
    if (members != nullptr) members->disconnect();
  }
}

void Hosts::place(int rank, int worker) noexcept {
  members_of(rank).place(rank, worker);
}

void Hosts::introduce(Rank& rank) {
  members_of(rank.number()).introduce(rank);
}

bool Hosts::all_sent(transport::Traffic* sum) const noexcept {
  return std::ranges::all_of(members_, [sum](const auto& members) {
    return members == nullptr || members->all_sent(sum);
  });
}

std::string Hosts::queues_of(int rank, const std::string& before) {
  return members_of(rank).queues_of(rank, before);
}

}  // namespace heddle::runtime
