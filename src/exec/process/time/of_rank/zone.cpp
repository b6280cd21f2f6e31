// tzset and its variables, and what writes dates for a zone: strftime and its kind, getdate,
// strptime.
//
// Where no host runs the program, libc itself finds these variables first and keeps them up to
// date.

#include "exec/process/time/of_rank/zone.h"

#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include <type_traits>

extern "C" {
__attribute__((visibility("default"))) char* __tzname[2] = {const_cast<char*>("GMT"),
                                                            const_cast<char*>("GMT")};
__attribute__((visibility("default"))) long __timezone = 0;
__attribute__((visibility("default"))) int __daylight = 0;
extern __attribute__((visibility("default"), alias("__tzname"))) char* tzname[2];
extern __attribute__((visibility("default"), alias("__timezone"))) long timezone;
extern __attribute__((visibility("default"), alias("__daylight"))) int daylight;
__attribute__((visibility("default"))) int getdate_err = 0;
}

namespace heddle::process::of_rank {

namespace {
constinit heddle_libc_zone zone = {__tzname, &__timezone, &__daylight, nullptr};
}  // namespace

void call_in_zone(WhichTz which, void (*work)(void*), void* argument) noexcept {
  const heddle_libc_hooks* const host = hooks();
  if (host == nullptr) return work(argument);
  host->time.in_zone(&zone, which == WhichTz::kPresent, getenv("TZ"), work, argument);
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

namespace {

template <class Result, class... Given>
Result in_zone_of(WhichTz which, Result (*libc)(Given...), Given... given) noexcept {
  Result result{};
  in_zone(which, [&] { result = libc(given...); });
  return result;
}
template <class Result, class... Given>
Result now(Result (*libc)(Given...), std::type_identity_t<Given>... given) noexcept {
  return in_zone_of(WhichTz::kPresent, libc, given...);
}
template <class Result, class... Given>
Result as_before(Result (*libc)(Given...), std::type_identity_t<Given>... given) noexcept {
  return in_zone_of(WhichTz::kLastRead, libc, given...);
}

}  // namespace

HEDDLE_EXPORT void tzset() noexcept {
  in_zone(WhichTz::kPresent, [] { libc().tzset(); });
}

// POSIX: strftime and its kind look at TZ as though they called tzset(). strptime does not; its %s
// is a local time.
#include "zone.inc"

HEDDLE_EXPORT tm* getdate(const char* text) {
  static constinit tm found = {};
  const int error = getdate_r(text, &found);
  if (error == 0) return &found;
  getdate_err = error;
  return nullptr;
}
