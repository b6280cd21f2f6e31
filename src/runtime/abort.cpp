#include "runtime/abort.h"

#include <time.h>
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
#include "runtime/launched_job.h"
#include "runtime/process_rank.h"

namespace heddle::runtime {

namespace {

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
  end_launched_job(exit_status);
  _exit(exit_status);
}

}  // namespace

void abort_job(int status, std::string_view sentence) noexcept {
  static std::atomic<bool> aborting{false};
  // Only the first one speaks; the others would only repeat its consequences.
  if (!aborting.exchange(true, std::memory_order_relaxed) && may_say_why()) {
    if (const Rank* rank = Rank::current()) line = "rank " + std::to_string(rank->number()) + ": ";
    line += sentence;
    line += '\n';
    if ((status & 0xff) != 0) exit_status = status & 0xff;
    tell_phase(ProcessPhase::kAborted);
    crash::limit_patience(say_and_end);
    process::flush_without_host();
    process::flush_in_crash();
    say_and_end();
  }
  for (;;) pause();
}

void abort_for_others(int status, const std::string& sentence) noexcept {
  if (!sentence.empty()) abort_job(status, sentence + "; the job cannot go on");
  constexpr timespec kPatience = {.tv_sec = 0, .tv_nsec = 500'000'000};
  if (!is_slurms_job()) nanosleep(&kPatience, nullptr);
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
