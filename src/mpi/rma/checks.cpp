#include "mpi/rma/checks.h"

namespace heddle::rma {

Error bad_assertion(int assertion, const char* names) {
  return Error::make(MPI_ERR_ASSERT, "argument assert is %d, but may be 0 or made of %s here",
                     assertion, names);
}

Error no_such_rank(int rank, const Window& window) {
  return Error::make(MPI_ERR_RANK, "argument rank is %d, but %s has ranks 0 to %d", rank,
                     describe(window).c_str(), window.size() - 1);
}

Error wrong_epoch(Window& window, const char* advice) {
  return Error::make(MPI_ERR_RMA_SYNC, "the rank has %s of %s; %s", window.epochs().describe(),
                     describe(window).c_str(), advice);
}

}  // namespace heddle::rma
