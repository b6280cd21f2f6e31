#include "runtime/job_board/left_elsewhere.h"

#include <time.h>

#include "base/platform/foreign.h"
#include "base/platform/own_thread.h"
#include "runtime/job_board/abort.h"
#include "runtime/job_board/job_board.h"

namespace heddle::runtime {

namespace {

// Until the process ends.
void* watch_this_host(void*) noexcept {
  JobPage& page = job_board().page();
  Rest rest(page.processor_time_ns());
  do {
    const timespec pause = {.tv_sec = rest.pause_ns() / 1'000'000'000,
                            .tv_nsec = rest.pause_ns() % 1'000'000'000};
    nanosleep(&pause, nullptr);
  } while (!page.wait_in_vain(rest));
  abort_without("another rank", 0, kUnfinalized);
}

}  // namespace

void hear_of_left_elsewhere() noexcept {
  const MeaningOfEnd meaning = job_board().page().note_end(ProcessPhase::kRunning, 0);
  if (meaning.then == MeaningOfEnd::Then::kEndJob) abort_without("another rank", 0, meaning.where);
  static const bool watched = [] {
    const platform::OwnThread thread{"heddle-left", watch_this_host, nullptr};
    if (platform::start_detached_own_thread(thread) != 0) return false;
    platform::count_own_thread(1);
    return true;
  }();
  static_cast<void>(watched);
}

}  // namespace heddle::runtime
