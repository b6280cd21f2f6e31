// whereabouts.h — where the calling strand runs, for code that lies below the workers. The function
// is in wiring.cpp.
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

struct Whereabouts {
  int worker = 0;  // its number; a kernel thread counts as with the first one, on the first node
  int numa_node = 0;
  int workers = 0;  // that run now
};
Whereabouts whereabouts() noexcept;

}  // namespace heddle::ult
