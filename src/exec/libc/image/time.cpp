// gmtime, localtime, asctime, ctime: the results lie in buffers of this rank. As in glibc the first
// two share one buffer and the last two another.

#include <time.h>

#include "exec/libc/image/image.h"

namespace {
constinit tm broken_down = {};
constinit char text[128] = {};  // asctime needs 26 characters for years of four digits
}  // namespace

HEDDLE_EXPORT tm* gmtime(const time_t* time) noexcept {
  return gmtime_r(time, &broken_down);
}

HEDDLE_EXPORT tm* localtime(const time_t* time) noexcept {
  tzset();  // localtime must look at TZ each time, localtime_r need not
  return localtime_r(time, &broken_down);
}

HEDDLE_EXPORT char* asctime(const tm* time) noexcept {
  return asctime_r(time, text);
}

HEDDLE_EXPORT char* ctime(const time_t* time) noexcept {
  const tm* local = localtime(time);
  return local != nullptr ? asctime(local) : nullptr;
}
