// tzset and its variables, and what writes dates for a zone: strftime and its kind, getdate, strptime.
//
// Where no host runs the program, libc itself finds these variables first and keeps them up to date.

#include "exec/libc/of_rank/zone.h"

#include <stdlib.h>
#include <time.h>
#include <wchar.h>

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

namespace heddle::libc_of_rank {

namespace {
constinit heddle_libc_zone zone = {__tzname, &__timezone, &__daylight, nullptr};
}  // namespace

void call_in_zone(Look look, void (*work)(void*), void* argument) noexcept {
  const heddle_libc_hooks* const host = hooks();
  if (host == nullptr) return work(argument);
  host->in_zone(&zone, look == Look::kNow, getenv("TZ"), work, argument);
}

}  // namespace heddle::libc_of_rank

using namespace heddle::libc_of_rank;

HEDDLE_EXPORT void tzset() noexcept {
  static auto* const libc = next<void()>("tzset");
  in_zone(Look::kNow, [] { libc(); });
}

// POSIX: as though they called tzset().
HEDDLE_EXPORT size_t strftime(char* to, size_t size, const char* format, const tm* time) noexcept {
  static auto* const libc = next<size_t(char*, size_t, const char*, const tm*)>("strftime");
  size_t length = 0;
  in_zone(Look::kNow, [&] { length = libc(to, size, format, time); });
  return length;
}

HEDDLE_EXPORT size_t strftime_l(char* to, size_t size, const char* format, const tm* time,
                                locale_t locale) noexcept {
  static auto* const libc =
      next<size_t(char*, size_t, const char*, const tm*, locale_t)>("strftime_l");
  size_t length = 0;
  in_zone(Look::kNow, [&] { length = libc(to, size, format, time, locale); });
  return length;
}

HEDDLE_EXPORT size_t wcsftime(wchar_t* to, size_t size, const wchar_t* format,
                              const tm* time) noexcept {
  static auto* const libc = next<size_t(wchar_t*, size_t, const wchar_t*, const tm*)>("wcsftime");
  size_t length = 0;
  in_zone(Look::kNow, [&] { length = libc(to, size, format, time); });
  return length;
}

HEDDLE_EXPORT size_t wcsftime_l(wchar_t* to, size_t size, const wchar_t* format, const tm* time,
                                locale_t locale) noexcept {
  static auto* const libc =
      next<size_t(wchar_t*, size_t, const wchar_t*, const tm*, locale_t)>("wcsftime_l");
  size_t length = 0;
  in_zone(Look::kNow, [&] { length = libc(to, size, format, time, locale); });
  return length;
}

// As libstdc++ calls them.
HEDDLE_EXPORT size_t __strftime_l(char* to, size_t size, const char* format, const tm* time,
                                  locale_t locale) noexcept {
  return strftime_l(to, size, format, time, locale);
}

HEDDLE_EXPORT size_t __wcsftime_l(wchar_t* to, size_t size, const wchar_t* format, const tm* time,
                                  locale_t locale) noexcept {
  return wcsftime_l(to, size, format, time, locale);
}

// %s is a local time.
HEDDLE_EXPORT char* strptime(const char* text, const char* format, tm* time) noexcept {
  static auto* const libc = next<char*(const char*, const char*, tm*)>("strptime");
  char* rest = nullptr;
  in_zone(Look::kBefore, [&] { rest = libc(text, format, time); });
  return rest;
}

HEDDLE_EXPORT char* strptime_l(const char* text, const char* format, tm* time,
                               locale_t locale) noexcept {
  static auto* const libc = next<char*(const char*, const char*, tm*, locale_t)>("strptime_l");
  char* rest = nullptr;
  in_zone(Look::kBefore, [&] { rest = libc(text, format, time, locale); });
  return rest;
}

HEDDLE_EXPORT int getdate_r(const char* text, tm* time) {
  static auto* const libc = next<int(const char*, tm*)>("getdate_r");
  int error = 0;
  in_zone(Look::kNow, [&] { error = libc(text, time); });
  return error;
}

HEDDLE_EXPORT tm* getdate(const char* text) {
  static constinit tm found = {};
  const int error = getdate_r(text, &found);
  if (error == 0) return &found;
  getdate_err = error;
  return nullptr;
}
