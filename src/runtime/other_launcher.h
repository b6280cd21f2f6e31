// other_launcher.h — whether another launcher has started this process as one of several.
//
// Where we cannot talk to that launcher (launcher/launcher.h), each of its processes would silently
// run as rank 0 of 1, and all would write the same files. So a singleton asks first.
//
// Thread safety: any thread.

#pragma once

#include "base/error.h"

namespace heddle::runtime {

// Fails if the environment says so. Not asked in a job of our mpiexec, nor in one that this process
// has joined.
Error check_started_alone();

}  // namespace heddle::runtime
