#include "mpi/coll/pieces.h"

namespace heddle::coll {

Error Pieces::hold_types(const char* name, int ranks) {
  if (types_ == nullptr) return {};
  held_.reserve(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) {
    const datatype::Datatype* type = datatype::from_handle(types_[i]);
    if (type != nullptr && type->committed()) {
      held_.emplace_back(type);
      continue;
    }
    return Error::make(MPI_ERR_TYPE, "argument %s has %p at index %d, which is no %sdatatype", name,
                       static_cast<void*>(types_[i]), i, type != nullptr ? "committed " : "");
  }
  return {};
}

}  // namespace heddle::coll
