// clock, CLOCK_PROCESS_CPUTIME_ID, times and getrusage(RUSAGE_SELF): the processor time of the rank;
// CLOCK_THREAD_CPUTIME_ID and getrusage(RUSAGE_THREAD): of the thread. It is not known which part the kernel
// spent for it, so all of it counts as the user's.

#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "exec/process/state/of_rank/hosted.h"

using namespace heddle::process_of_rank;

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
  static auto* const libc = next<clock_t()>("clock");
  long long own = 0;
  return know_time(kRank, &own) ? own / (kSecond / CLOCKS_PER_SEC) : libc();
}

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const libc = next<int(clockid_t, timespec*)>("clock_gettime");
  long long own = 0;
  const bool of_rank = clock == CLOCK_PROCESS_CPUTIME_ID;
  if (!of_rank && clock != CLOCK_THREAD_CPUTIME_ID) return libc(clock, time);
  if (!know_time(of_rank ? kRank : kStrand, &own)) return libc(clock, time);
  *time = {own / kSecond, own % kSecond};
  return 0;
}

HEDDLE_EXPORT clock_t times(tms* buffer) noexcept {
  static auto* const libc = next<clock_t(tms*)>("times");
  const clock_t result = libc(buffer);
  long long own = 0;
  if (buffer == nullptr || !know_time(kRank, &own)) return result;
  buffer->tms_utime = own / (kSecond / sysconf(_SC_CLK_TCK));
  buffer->tms_stime = 0;
  return result;
}

HEDDLE_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  static auto* const libc = next<int(__rusage_who_t, rusage*)>("getrusage");
  const int result = libc(who, usage);
  long long own = 0;
  if (result != 0 || (who != RUSAGE_SELF && who != RUSAGE_THREAD)) return result;
  if (!know_time(who == RUSAGE_SELF ? kRank : kStrand, &own)) return result;
  usage->ru_utime = {own / kSecond, own % kSecond / 1000};
  usage->ru_stime = {};
  return 0;
}
