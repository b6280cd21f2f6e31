// bundle.h — what members of one host have for members of another, in one message, where both know
// how long it is.
//
//   a parcel   names the call, and has the bytes if they are few (parcel.h)
//   the rest   all of them, if they are many: a message of its own
//
// A host sends to all others and receives from all: first all parcels, by which hosts find out if
// they disagree, then what is left. No send waits before all have been started, since the others
// may wait for what this host sends.
// A sender that has failed, or has no memory for the bytes, sends a parcel that says so, and no
// rest. A receiver that has no memory takes the rest all the same, into nothing, because its sender
// waits.
//
// Thread safety: none; it belongs to one call. The functions that send and receive may switch.

#pragma once

#include "mpi/coll/parcel.h"
#include "mpi/coll/staging_buffer.h"

namespace heddle::coll {

class Bundle {
 public:
  // `failure`: the error class of a sender's host.
  explicit Bundle(std::uint32_t call, int failure = MPI_SUCCESS) noexcept
      : parcel_(call, failure), call_(call) {}

  // The error class of the host it comes from, or of what failed here. Then it has no bytes.
  int failure() const noexcept { return parcel_.failure; }
  std::byte* bytes() noexcept {
    return is_in_parcel() ? parcel_.payload : static_cast<std::byte*>(rest_.data());
  }

  // Called at its sender: makes room for `bytes` bytes, to be written before it is sent. False: it
  // has failed.
  bool open(MPI_Count bytes) noexcept;
  void send_parcel(Batch& batch, int rank) { parcel_.post(batch, rank); }
  void send_rest(Batch& batch, int rank);

  void receive_parcel(const Link& link, int rank);
  void receive_rest(Batch& batch, int rank);

 private:
  bool is_in_parcel() const noexcept { return parcel_.bytes <= kMostInParcel; }
  void fail(int error_class) noexcept;

  Parcel parcel_;
  const std::uint32_t call_;
  bool more_ = false;  // bytes follow the parcel that came
  StagingBuffer rest_;
};

}  // namespace heddle::coll
