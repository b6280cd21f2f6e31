// spawn.h — waiting for a child without keeping the worker from running others.
//
// Thread safety: any strand of the rank.

#pragma once

#include <sys/types.h>

namespace heddle::process::of_rank {

// The wait status of the child, or -1 and errno. A cancellation point. May switch.
int await_child(pid_t child);

}  // namespace heddle::process::of_rank
