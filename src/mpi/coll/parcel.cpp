#include "mpi/coll/parcel.h"

namespace heddle::coll {

namespace {

constexpr MPI_Count kHead = offsetof(Parcel, payload);

}  // namespace

Error Parcel::send(const Link& link, int rank) const {
  const MPI_Count in_line = bytes <= kMostInParcel ? bytes : 0;
  return link.send(datatype::bytes_at(this, kHead + in_line), rank);
}

void Parcel::receive(const Link& link, int rank, std::uint32_t expected) {
  Error error = link.receive(datatype::bytes_at(this, sizeof *this), rank);
  if (!error && failure == MPI_SUCCESS && call == expected) return;
  if (error || failure == MPI_SUCCESS) failure = MPI_ERR_OTHER;
  bytes = 0;
}

}  // namespace heddle::coll
