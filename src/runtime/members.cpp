#include "runtime/members.h"

#include "mpi/object/errhandler.h"
#include "mpi/p2p/port.h"
#include "runtime/abort.h"
#include "runtime/init.h"

namespace heddle::runtime {

Members::Members(int size) : job_(size) {
  object::set_fatal_handler(abort_job);  // before a rank can make a mistake
  std::vector<world::Process*> everybody;
  everybody.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    world::Process& process = job_.process(i);
    process.receiver = std::make_unique<p2p::Port>();
    everybody.push_back(&process);
  }
  world_ = object::Ref<group::Group>::adopt(new group::Group(std::move(everybody)));
}

void Members::settle(const Rank& rank) {
  world::Process& process = job_.process(rank.number());
  world::here() = {&job_, &process};
  world_groups().world = world_;
  world_groups().self = object::Ref<group::Group>::adopt(new group::Group({&process}));
}

}  // namespace heddle::runtime
