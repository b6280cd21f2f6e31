// hooks.h — the host's part of a rank's time zone and processor time.
//
// Thread safety: any strand of the rank.

#pragma once

extern "C" {

// A rank's time zone.
struct heddle_libc_zone {
  char** names;  // tzname, timezone and daylight of the rank
  long* seconds_west;
  int* has_summer_time;
  const void* setting;  // the host's; null at first
};

struct heddle_time_hooks {
  // The processor time of this rank, or of the calling strand alone, in nanoseconds
  // (processor_time.h); -1: ask libc. Not in a child of fork.
  long long (*processor_time)(int of_strand);

  // Calls work(argument) while libc's time zone is that of the rank (zone.h). `work` calls
  // functions of libc alone. `tz` is the rank's TZ; null: it is not set. `adopts` 1: the zone of
  // `tz` is the rank's from now on, as after tzset. 0: the rank keeps the zone that it has; `tz`
  // counts only if it has none yet.
  void (*in_zone)(struct heddle_libc_zone* zone, int adopts, const char* tz, void (*work)(void*),
                  void* argument);
};

}  // extern "C"
