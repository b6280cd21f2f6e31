#include "mpi/rma/way.h"

#include "mpi/rma/service.h"

namespace heddle::rma {

Way::Way(int member, const Window& window)
    : process_(window.comm().group().member(member)),
      channels_(
          gateway::Gateway::here().by_host()[static_cast<std::size_t>(process_.host)]->channels),
      channel_(channels_.channel_of(world::here().process->number, process_.number,
                                    window.comm().context())) {}

WindowPacket head_of(gateway::PacketKind kind, int target, const Window& window) noexcept {
  return {.kind = kind, .target = target, .origin = window.rank(), .context = window.context()};
}

std::uint64_t name(Answer& answer) {
  return gateway::Gateway::here().find<Service>().answers().add(answer);
}

void forget(std::uint64_t name) {
  gateway::Gateway::here().find<Service>().answers().take(name, [](const Answer&) { return true; });
}

bool ask_and_wait(WindowPacket head, const Window& window, int* status) {
  Answer answer;
  head.waiting = name(answer);
  if (!Way(head.target, window).send(head)) {
    forget(head.waiting);
    return false;
  }
  answer.wait();
  *status = answer.status();
  return true;
}

Error no_memory() {
  return Error::make(MPI_ERR_NO_MEM, "there is no memory for a packet to the target's process");
}

}  // namespace heddle::rma
