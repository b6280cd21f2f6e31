// events.h — event types and their sources (MPI 5.0 §15.3.8). There are none, so every index, name,
// registration and instance is an error.
//
// Thread safety: constant.

#pragma once

#include <mpi.h>

#include "base/error.h"

namespace heddle::tool {

// How many event types, or sources, there are.
Error no_events(int* count);

// The error of a call with such an argument.
Error no_event_with_index(int event_index);
Error no_event_with_name(const char* name);
Error no_source_with_index(int source_index);
Error no_registration(MPI_T_event_registration registration);
Error no_instance(MPI_T_event_instance instance);

}  // namespace heddle::tool
