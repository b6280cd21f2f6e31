#include "mpi/coll/staging_buffer.h"

namespace heddle::coll {

Error StagingBuffer::reserve(MPI_Count count, const datatype::Datatype& type) {
  const Room room = Room::of(count, type);
  auto* base = inside_;
  if (room.bytes > kInside) {
    allocated_ = std::malloc(static_cast<std::size_t>(room.bytes));
    if (allocated_ == nullptr) {
      buffer_ = {nullptr, 0, &type};
      return Error::make(MPI_ERR_NO_MEM, "no memory for %lld bytes of intermediate results",
                         static_cast<long long>(room.bytes));
    }
    base = static_cast<std::byte*>(allocated_);
  }
  buffer_ = {base + room.first, count, &type};
  return {};
}

}  // namespace heddle::coll
