#include "mpi/rma/put_landing.h"

#include "mpi/rma/access.h"

namespace heddle::rma {

void PutLanding::came(std::size_t) noexcept {
  gateway_.by_host()[static_cast<std::size_t>(asker_.host)]->channels.count_handled(asker_.channel);
  end_given(gateway_, asker_, head_, part_, MPI_SUCCESS);
  part_.leave();
  all_.take(name_, [](const PutLanding&) { return true; });
  delete this;
}

}  // namespace heddle::rma
