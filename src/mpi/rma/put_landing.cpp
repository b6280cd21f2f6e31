#include "mpi/rma/put_landing.h"

namespace heddle::rma {

void end_given(gateway::Gateway& gateway, const Asker& asker, const WindowPacket& head, Part& part,
               int status) noexcept {
  LateErrors& errors = part.late_errors();
  if (asker.waiting == 0) {
    if (status != MPI_SUCCESS) errors.note(head.origin, head.target, status);
    return;
  }
  const int earlier = errors.take(head.origin, head.target);
  send_answer(gateway, asker, earlier != MPI_SUCCESS ? earlier : status);
}

void PutLanding::came(std::size_t) noexcept {
  gateway_.by_host()[static_cast<std::size_t>(asker_.host)]->channels.count_handled(asker_.channel);
  end_given(gateway_, asker_, head_, part_, MPI_SUCCESS);
  part_.leave();
  all_.take(name_, [](const PutLanding&) { return true; });
  delete this;
}

}  // namespace heddle::rma
