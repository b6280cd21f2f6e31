// hooks.h — the host's part of sleeps: sleep.h.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/wait_end.h"

extern "C" {

struct heddle_sleep_hooks {
  // process::sleep_until(). A thread that is cancelled meanwhile is unwound. May switch.
  heddle::WaitEnd (*until)(long long deadline_ns);
};

}  // extern "C"
