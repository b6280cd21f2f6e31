// descriptors.h — 0, 1 and 2 of this rank, which are other numbers in the process.
//
// Thread safety: any strand of the rank.

#pragma once

#include "exec/libc/of_rank/hosted.h"

namespace heddle::libc_of_rank {

inline bool is_standard(int descriptor) noexcept {
  return descriptor >= 0 && descriptor <= 2;
}

// The process's descriptor for a descriptor of the rank; -1 if the rank has closed it.
inline int in_process(int descriptor) noexcept {
  const bool differs = is_standard(descriptor) && rank_hooks() != nullptr;
  return differs ? hooks()->descriptor(descriptor) : descriptor;
}

// Takes the result of a call that made a descriptor. Gives a new descriptor the lowest number that the rank has
// closed, as POSIX asks; passes on a failure.
inline int placed(int made) noexcept {
  return made >= 0 && rank_hooks() != nullptr ? hooks()->place(made) : made;
}

}  // namespace heddle::libc_of_rank
