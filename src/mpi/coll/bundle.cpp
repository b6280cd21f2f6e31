#include "mpi/coll/bundle.h"

namespace heddle::coll {

void Bundle::fail(int error_class) noexcept {
  parcel_.failure = error_class;
  parcel_.bytes = 0;
}

bool Bundle::open(MPI_Count bytes) noexcept {
  if (failure() != MPI_SUCCESS) return false;
  if (bytes > kMostInParcel && rest_.reserve_bytes(bytes)) {
    fail(MPI_ERR_NO_MEM);
    return false;
  }
  parcel_.bytes = bytes;
  return true;
}

void Bundle::send_rest(Batch& batch, int rank) {
  if (!is_in_parcel()) batch.send(rest_.buffer(), rank);
}

void Bundle::receive_parcel(const Link& link, int rank) {
  parcel_.receive(link, rank, call_);
  more_ = !is_in_parcel();
  if (more_) open(parcel_.bytes);
}

void Bundle::receive_rest(Batch& batch, int rank) {
  if (more_) batch.receive(rest_.buffer(), rank);
}

}  // namespace heddle::coll
