// clock, CLOCK_PROCESS_CPUTIME_ID, times and getrusage(RUSAGE_SELF): the processor time of the
// rank; CLOCK_THREAD_CPUTIME_ID and getrusage(RUSAGE_THREAD): of the thread. It is not known which
// part the kernel spent for it, so all of it counts as the user's.

#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process::of_rank;

namespace {

constexpr long long kSecond = 1'000'000'000;

enum Subject { kRank = 0, kStrand = 1 };

// False: it is libc's to say.
bool know_time(Subject subject, long long* nanoseconds) noexcept {
  if (rank_hooks() == nullptr) return false;
  *nanoseconds = rank_hooks()->time.processor_time(subject);
  return *nanoseconds >= 0;
}

}  // namespace

HEDDLE_EXPORT clock_t clock() noexcept {
  take_due_turn();
  long long own = 0;
  return know_time(kRank, &own) ? own / (kSecond / CLOCKS_PER_SEC) : libc().clock();
}

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  take_due_turn();
  long long own = 0;
  const bool of_rank = clock == CLOCK_PROCESS_CPUTIME_ID;
  if (!of_rank && clock != CLOCK_THREAD_CPUTIME_ID) return libc().clock_gettime(clock, time);
  if (!know_time(of_rank ? kRank : kStrand, &own)) return libc().clock_gettime(clock, time);
  *time = {own / kSecond, own % kSecond};
  return 0;
}

HEDDLE_EXPORT clock_t times(tms* buffer) noexcept {
  take_due_turn();
  const clock_t result = libc().times(buffer);
  long long own = 0;
  if (buffer == nullptr || !know_time(kRank, &own)) return result;
  buffer->tms_utime = own / (kSecond / sysconf(_SC_CLK_TCK));
  buffer->tms_stime = 0;
  return result;
}

HEDDLE_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  take_due_turn();
  const int result = libc().getrusage(who, usage);
  long long own = 0;
  if (result != 0 || (who != RUSAGE_SELF && who != RUSAGE_THREAD)) return result;
  if (!know_time(who == RUSAGE_SELF ? kRank : kStrand, &own)) return result;
  usage->ru_utime = {own / kSecond, own % kSecond / 1000};
  usage->ru_stime = {};
  return 0;
}
