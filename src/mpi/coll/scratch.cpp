#include "mpi/coll/scratch.h"

namespace heddle::coll {

Error Scratch::reserve(MPI_Count count, const datatype::Datatype& type) {
  const MPI_Count span = count == 0 ? 0 : type.true_extent() + (count - 1) * type.extent();
  auto* first = inside_;
  if (span > kInside) {
    allocated_ = std::malloc(static_cast<std::size_t>(span));
    if (allocated_ == nullptr) {
      return Error::make(MPI_ERR_NO_MEM, "no memory for %lld bytes of intermediate results",
                         static_cast<long long>(span));
    }
    first = static_cast<std::byte*>(allocated_);
  }
  buffer_ = {first - type.true_lower_bound(), count, &type};
  return {};
}

}  // namespace heddle::coll
