#include "mpi/coll/visit.h"

namespace heddle::coll {

bool Visit::gather(bool last) noexcept {
  if (!speaks()) {
    if (last) round_.gathered.set();
    return false;
  }
  if (!last) {
    round_.gathered.wait();
    round_.gathered.reset();
  }
  return true;
}

Error Visit::disagreement() const {
  return Error::make(round_.unlike,
                     "the ranks of %s do not all call the same collective with the same root and "
                     "the same length, or one of them has failed",
                     comm::describe(comm_).c_str());
}

Error Visit::failure() const {
  return Error::make(round_.failure, "a rank of %s that others of its host depend on has failed",
                     comm::describe(comm_).c_str());
}

}  // namespace heddle::coll
