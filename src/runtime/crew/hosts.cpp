#include "runtime/crew/hosts.h"

#include <algorithm>
#include <utility>

#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

Hosts::Hosts(Layout layout, Way& way) : layout_(std::move(layout)), way_(way) {
  for (int host = 0; host < layout_.hosts(); ++host) {
    members_.push_back(way.carries(host) ? std::make_unique<Members>(layout_, host) : nullptr);
  }
}

namespace {
bool has_ended(int host) {
  const Card& card = job_board().page().card(host);
  return card.still.load(std::memory_order_acquire) == Card::kEnded;
}
}  // namespace

std::vector<int> Hosts::ranks_here() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < layout_.ranks(); ++rank) {
    if (way_.carries(layout_.host(rank))) ranks.push_back(rank);
  }
  return ranks;
}

Error Hosts::connect(int channels, Listener* listener) {
  if (members_.size() == 1) return {};
  std::vector<transport::Routes> routes;
  if (Error e = way_.connect({layout_, channels, listener}, &routes)) return e;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] == nullptr) continue;
    members_[i]->connect(std::move(routes[i]));
    if (!way_.has_network() && way_.processes() > 1) members_[i]->set_end_test(has_ended);
  }
  return {};
}

void Hosts::send_rest() noexcept {
  for (auto& members : members_) {
    if (members != nullptr) members->send_rest();
  }
}

void Hosts::leave() noexcept {
  if (layout_.hosts() != way_.processes()) return;
  send_rest();
  members_[static_cast<std::size_t>(way_.process())]->disconnect();
  way_.leave();
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
