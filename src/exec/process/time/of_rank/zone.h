// zone.h — calls libc with this rank's time zone (exec/process/time/zone.h), or with libc's if no
// host runs the program.
//
// Thread safety: any strand.

#pragma once

#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/time/hooks.h"

namespace heddle::process::of_rank {

// kPresent: read TZ now, as tzset does. kLastRead: the TZ that was read last.
enum class WhichTz { kPresent, kLastRead };

void call_in_zone(WhichTz which, void (*work)(void*), void* argument) noexcept;

// Calls `work`, which calls functions of libc only.
template <class Work>
void in_zone(WhichTz which, Work work) noexcept {
  call_in_zone(
      which, [](void* itself) { (*static_cast<Work*>(itself))(); }, &work);
}

}  // namespace heddle::process::of_rank
