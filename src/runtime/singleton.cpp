#include "runtime/singleton.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "base/settings.h"
#include "exec/rank/rank.h"
#include "exec/ult/host_bell.h"
#include "net/transport/shm/shm.h"
#include "runtime/members.h"
#include "runtime/other_launcher.h"
#include "runtime/process_rank.h"
#include "runtime/transports.h"

namespace heddle::runtime {

namespace {

struct Singleton {
  Singleton(const Layout& layout, int number) : members(layout, number), rank(number) {}

  Members members;
  Rank rank;
  std::unique_ptr<transport::ShmFactory> shared_memory;  // nullptr: a job of one
};

// Never destroyed: the program's atexit handlers may still ask MPI_Finalized.
std::atomic<Singleton*> the_singleton{nullptr};

// Each rank is a host, and all are on this node.
Layout layout_of(const ProcessRank& process) {
  Pretence each_a_host;
  each_a_host.hosts = process.ranks;
  each_a_host.hosts_a_node = process.ranks;
  return Layout(process.ranks, each_a_host);
}

Error connect(const ProcessRank& process, Singleton& singleton) {
  auto memory = std::make_unique<transport::ShmFactory>(process.memory, process.ranks,
                                                        transport::Sleepers::kAtBells);
  transport::Factory* const factories[] = {memory.get()};
  std::vector<transport::Location> hosts;
  hosts.reserve(static_cast<std::size_t>(process.ranks));
  for (int host = 0; host < process.ranks; ++host) hosts.push_back({host, 0});
  WireUp opened;
  if (Error e = WireUp::open(factories, {.host = process.rank}, hosts, &opened)) return e;
  // The memory tells where each host is: no card need be carried, and no host waits for another.
  std::vector<HostCard> cards;
  cards.reserve(hosts.size());
  for (int host = 0; host < process.ranks; ++host) cards.push_back({{memory->address_of(host)}});
  transport::Routes routes;
  if (Error e = std::move(opened).connect(cards, &routes)) return e;
  ult::set_host_bell(&memory->segment().bell(process.rank));
  singleton.members.connect(std::move(routes));
  singleton.shared_memory = std::move(memory);
  return {};
}

}  // namespace

Error start_singleton() {
  if (Error e = settings::check()) return e;
  ProcessRank process;
  if (Error e = find_process_rank(&process)) return e;
  if (!process.is_one()) {
    if (Error e = check_started_alone()) return e;
  }
  auto made = std::make_unique<Singleton>(layout_of(process), process.rank);
  if (process.ranks > 1) {
    if (Error e = connect(process, *made)) return e;
  }
  if (process.is_one()) ::close(process.memory);
  Rank::enter(&made->rank);
  made->members.introduce(made->rank);
  Singleton* expected = nullptr;
  // release: a thread that adopts the rank sees a whole one; pairs with [A1].
  if (!the_singleton.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
    Rank::enter(&expected->rank);
    return {};
  }
  static_cast<void>(made.release());
  return {};
}

bool adopt_strand() noexcept {
  Singleton* singleton = the_singleton.load(std::memory_order_acquire);  // [A1]
  if (singleton == nullptr) return false;
  Rank::enter(&singleton->rank);
  return true;
}

void leave_process_job() noexcept {
  Singleton* const singleton = the_singleton.load(std::memory_order_acquire);
  if (singleton == nullptr || singleton->shared_memory == nullptr) return;
  singleton->members.disconnect_orderly();
}

}  // namespace heddle::runtime
