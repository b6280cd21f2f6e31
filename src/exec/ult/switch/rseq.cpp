#include "exec/ult/switch/rseq.h"

#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "base/platform/thread_pointer.h"

namespace heddle::ult {

bool unregister_rseq() noexcept {
  if (__rseq_size == 0) return false;
  auto* own = reinterpret_cast<struct rseq*>(platform::thread_pointer() + __rseq_offset);
  const long error = syscall(SYS_rseq, own, sizeof(RseqArea), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
  own->cpu_id = static_cast<std::uint32_t>(RSEQ_CPU_ID_REGISTRATION_FAILED);
  return error == 0;
}

void move_rseq(RseqArea& area) noexcept {
  if (unregister_rseq()) syscall(SYS_rseq, &area, sizeof area, 0, RSEQ_SIG);
}

}  // namespace heddle::ult
