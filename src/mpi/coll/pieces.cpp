#include "mpi/coll/pieces.h"

#include <new>
#include <utility>

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

bool Pieces::keep_arrays(int ranks) noexcept {
  constexpr std::size_t kUnit = sizeof(std::max_align_t);
  const auto units = [](std::size_t bytes) { return (bytes + kUnit - 1) / kUnit; };
  const std::size_t first = units(counts_.bytes(ranks));
  const std::size_t second = units(displacements_.bytes(ranks));
  if (first + second == 0) return true;
  std::unique_ptr<std::max_align_t[]> kept(new (std::nothrow) std::max_align_t[first + second]);
  if (!kept) return false;
  counts_ = counts_.copied_to(kept.get(), ranks);
  displacements_ = displacements_.copied_to(kept.get() + first, ranks);
  kept_ = std::move(kept);
  return true;
}

}  // namespace heddle::coll
