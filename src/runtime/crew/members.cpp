#include "runtime/crew/members.h"

#include <utility>

#include "mpi/coll/call_queries.h"
#include "mpi/error/errhandler.h"
#include "mpi/p2p/gateway.h"
#include "mpi/p2p/port.h"
#include "mpi/rma/service.h"
#include "runtime/job_board/abort.h"

namespace heddle::runtime {

namespace {
RankLocal<WorldGroups> groups_of_rank;
}  // namespace

WorldGroups& world_groups() noexcept {
  return groups_of_rank.get();
}

Members::Members(const Layout& layout, int host)
    : host_(world::kFirstJob, host, layout.ranks()),
      ranks_(static_cast<std::size_t>(layout.ranks())) {
  error::set_fatal_handler(abort_job);  // before a rank can make a mistake
  std::vector<world::Process*> processes;
  processes.reserve(static_cast<std::size_t>(layout.ranks()));
  bool on_one_node = true;
  for (int i = 0; i < layout.ranks(); ++i) {
    world::Process& process = host_.job().process(i);
    process.host = layout.host(i);
    process.node = layout.node(i);
    if (process.host == host) process.receiver = std::make_unique<p2p::Port>(layout.ranks(), i);
    processes.push_back(&process);
    on_one_node = on_one_node && process.node == host_.job().process(0).node;
  }
  host_.job().set_on_one_node(on_one_node);
  world_ = object::Ref<group::Group>::adopt(new group::Group(std::move(processes)));
}

void Members::connect(transport::Routes routes) {
  auto gateway = std::make_unique<gateway::Gateway>(std::move(routes));
  // Attaches each module that talks to other hosts; then packets may come.
  p2p::attach_to(*gateway, host_.job());
  coll::attach_to(*gateway, host_.shared_parts());
  rma::attach_to(*gateway, host_.shared_parts());
  gateway->open();
  host_.set_gateway(std::move(gateway));
}

void Members::send_rest() noexcept {
  if (host_.gateway() != nullptr) static_cast<gateway::Gateway&>(*host_.gateway()).send_rest();
}

bool Members::all_sent(transport::Traffic* sum) const noexcept {
  const world::Gateway* const gateway = host_.gateway();
  return gateway == nullptr || static_cast<const gateway::Gateway*>(gateway)->all_sent(sum);
}

void Members::introduce(Rank& rank) {
  ranks_[static_cast<std::size_t>(rank.number())] = &rank;
  world::Process& process = host_.job().process(rank.number());
  world::here() = {&host_, &process};
  world_groups().world = object::Ref<group::Group>::adopt(new group::Group(*world_, {}));
  world_groups().self = object::Ref<group::Group>::adopt(new group::Group({&process}));
}

std::string Members::queues_of(int number, const std::string& before) {
  return p2p::Port::of(host_.job().process(number))->describe_queues(before);
}

}  // namespace heddle::runtime
