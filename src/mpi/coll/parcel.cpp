#include "mpi/coll/parcel.h"

namespace heddle::coll {

namespace {

constexpr MPI_Count kHead = offsetof(Parcel, payload);

}  // namespace

datatype::ConstBuffer Parcel::message() const noexcept {
  return datatype::bytes_at(this, kHead + (bytes <= kMostInParcel ? bytes : 0));
}

Error Parcel::send(const Link& link, int rank) const {
  return link.send(message(), rank);
}

void Parcel::post(Batch& batch, int rank) const {
  batch.send(message(), rank);
}

void Parcel::receive(const Link& link, int rank, std::uint32_t expected) {
  Error error = link.receive(datatype::bytes_at(this, sizeof *this), rank);
  if (!error && failure == MPI_SUCCESS && call == expected) return;
  if (error || failure == MPI_SUCCESS) failure = MPI_ERR_OTHER;
  bytes = 0;
}

}  // namespace heddle::coll
