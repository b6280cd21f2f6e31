#include "runtime/job_board/abort.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "base/platform/child_processes.h"
#include "base/platform/openmp_segment.h"
#include "exec/crash/patience.h"
#include "exec/process/state/output.h"
#include "exec/process/streams/streams.h"
#include "exec/rank/rank.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

namespace {

constinit std::atomic<void (*)(int)> tell_others{nullptr};

// Written by the thread that ends the job.
std::string line;
int exit_status = 1;

// For the second time where the line is not read.
[[noreturn]] void say_and_end() noexcept {
  static std::atomic<bool> said{false};
  if (!said.exchange(true, std::memory_order_relaxed)) {
    process::Sink::of(STDERR_FILENO).emit_in_crash(line.data(), line.size());
  }
  platform::end_children();
  platform::remove_openmp_segment(getpid());
  tell_of_abort(exit_status);
  _exit(exit_status);
}

}  // namespace

void abort_job(int status, std::string_view sentence) noexcept {
  static std::atomic<bool> aborting{false};
  // Only the first one speaks; the others would only repeat its consequences.
  if (!aborting.exchange(true, std::memory_order_relaxed) && job_board().may_say_why()) {
    if (const Rank* rank = Rank::current()) line = "rank " + std::to_string(rank->number()) + ": ";
    line += sentence;
    line += '\n';
    if ((status & 0xff) != 0) exit_status = status & 0xff;
    job_board().begin_abort();
    crash::limit_patience(say_and_end);
    process::flush_without_host();
    process::flush_in_crash();
    say_and_end();
  }
  for (;;) pause();
}

void set_teller_of_aborts(void (*tell)(int status)) noexcept {
  tell_others.store(tell, std::memory_order_relaxed);
}

void tell_of_abort(int status) noexcept {
  if (auto* const tell = tell_others.load(std::memory_order_relaxed)) tell(status);
}

void end_silently(int status) noexcept {
  platform::end_children();
  platform::remove_openmp_segment(getpid());
  _exit(status);
}

void abort_without(const char* whose, int status, const char* where) noexcept {
  char sentence[160];
  std::snprintf(sentence, sizeof sentence,
                "%s ended with status %d %s; the other ranks cannot go on", whose, status, where);
  abort_job(status, sentence);
}

}  // namespace heddle::runtime
