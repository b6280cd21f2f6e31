#include "net/world/context_ids.h"

#include <cassert>

namespace heddle::world {

ContextIds::ContextIds(JobId job, int host, ContextId first_serial) noexcept
    : origin_(ContextId{job} << (kHostBits + kSerialBits) | ContextId(host) << kSerialBits),
      next_serial_(first_serial) {
  assert(job != kNoJob && job < (JobId{1} << kJobBits));
  assert(host >= 0 && host < (1 << kHostBits));
}

}  // namespace heddle::world
