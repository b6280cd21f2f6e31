// gmtime, localtime, mktime, asctime, ctime: by the rank's zone, and the results lie in buffers of
// this rank. As in glibc gmtime and localtime share one buffer and the last two another.
//
// gmtime and timegm have to do with the zone, too: in one of right/… they count its leap seconds.

#include <time.h>

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/time/of_rank/zone.h"

using namespace heddle::process::of_rank;

namespace {

constinit tm broken_down = {};
constinit char text[128] = {};  // asctime needs 26 characters for years of four digits

using Break = tm*(const time_t*, tm*);
using Join = time_t(tm*);

// The program's memory is not touched in the zone.
tm* break_down(Break* libc, WhichTz which, const time_t* time, tm* to) noexcept {
  const time_t moment = *time;
  tm made = {};
  bool done = false;
  in_zone(which, [&] { done = libc(&moment, &made) != nullptr; });
  if (!done) return nullptr;
  *to = made;
  return to;
}

time_t join(Join* libc, WhichTz which, tm* time) noexcept {
  tm normal = *time;
  time_t moment = -1;
  in_zone(which, [&] { moment = libc(&normal); });
  *time = normal;
  return moment;
}

tm* break_down_locally(WhichTz which, const time_t* time, tm* to) noexcept {
  return break_down(libc().localtime_r, which, time, to);
}

}  // namespace

HEDDLE_EXPORT char* ctime(const time_t* time) noexcept {
  const tm* local = localtime(time);
  return local != nullptr ? asctime(local) : nullptr;
}

HEDDLE_EXPORT char* ctime_r(const time_t* time, char* to) noexcept {
  tm local = {};
  return localtime_r(time, &local) != nullptr ? asctime_r(&local, to) : nullptr;
}

HEDDLE_EXPORT tm* localtime_r(const time_t* time, tm* to) noexcept {
  return break_down_locally(WhichTz::kLastRead, time, to);
}

#include "time.inc"
