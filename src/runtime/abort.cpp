#include "runtime/abort.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "exec/libc/output.h"
#include "exec/libc/run_main.h"
#include "exec/rank/rank.h"

namespace heddle::runtime {

void abort_job(int status, std::string_view sentence) noexcept {
  static std::atomic<bool> aborting{false};
  // Only the first one speaks; the others would only repeat its consequences.
  if (!aborting.exchange(true, std::memory_order_relaxed)) {
    std::string line;
    if (const Rank* rank = Rank::current()) line = "rank " + std::to_string(rank->number()) + ": ";
    line += sentence;
    line += '\n';
    libc::flush_current_rank();
    libc::flush_in_crash();
    libc::Sink::of(STDERR_FILENO).emit_in_crash(line.data(), line.size());
    _exit(status & 0xff ? status & 0xff : 1);
  }
  for (;;) pause();
}

}  // namespace heddle::runtime
