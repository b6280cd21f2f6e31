// operation.h — what the requests of both sides have in common.
//
// Thread safety: ready() and arrived() any strand of the rank, several at once; the rest see
// request.h.

#pragma once

#include "mpi/partitioned/partitioned.h"
#include "mpi/request/request.h"

namespace heddle::partitioned {

// What the sender says of its message, once.
struct Offer {
  std::int32_t partitions = 0;
  std::int32_t first_tag = 0;  // of the messages of its partitions, if it is on another host
  MPI_Count bytes = 0;         // of each partition
  class Handover* handover = nullptr;  // if it is on this host; with a reference
};

// The elements of all partitions, unless they are more than a count or their bytes hold.
Error count_all(const datatype::Datatype& type, Partitions partitions, MPI_Count* count);

// A persistent send or receive, for one partition on its way between hosts.
using Part = object::Ref<request::Request>;

// A part that says only when all others are known.
class AllPartsKnown final : public request::Request {
 public:
  AllPartsKnown() noexcept : Request(Life::kOnce) {}
};

class Operation : public request::Request {
 public:
  Operation* partitioned() noexcept override { return this; }

  virtual Error ready(int first, int last) = 0;
  virtual Error arrived(int partition, bool* flag) = 0;

  Error refuse_to_end() const override;

 protected:
  explicit Operation(Partitions partitions) noexcept
      : Request(Life::kPersistent), partitions_(partitions) {}

  Error check(int partition) const;

  const Partitions partitions_;
};

}  // namespace heddle::partitioned
