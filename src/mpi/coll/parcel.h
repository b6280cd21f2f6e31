// parcel.h — the first message between two hosts in a phase: which call its sender makes, whether
// its host has failed, and up to 1 KiB of payload. A larger payload follows in messages of its own
// (between.h, bundle.h).
//
// Thread safety: none; it belongs to one call. send() and receive() may switch.

#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi/coll/link.h"

namespace heddle::coll {

// Payloads of up to this many packed bytes travel in a parcel.
constexpr MPI_Count kMostInParcel = 1024;

struct Parcel {
  // The payload is left as it is.
  explicit Parcel(std::uint32_t its_call = 0, int its_failure = MPI_SUCCESS,
                  MPI_Count its_bytes = 0) noexcept
      : call(its_call), failure(its_failure), bytes(its_bytes) {}

  Error send(const Link& link, int rank) const;
  // Sends without waiting: the parcel is in use until the batch is done.
  void post(Batch& batch, int rank) const;
  // What does not fit, or is of another call than `expected`, becomes a failure, and then there is
  // no payload.
  void receive(const Link& link, int rank, std::uint32_t expected);

  datatype::Buffer contents() noexcept { return datatype::bytes_at(payload, bytes); }

  std::uint32_t call;
  int failure;      // an error class
  MPI_Count bytes;  // of the payload
  std::byte payload[kMostInParcel];

 private:
  datatype::ConstBuffer message() const noexcept;
};

}  // namespace heddle::coll
