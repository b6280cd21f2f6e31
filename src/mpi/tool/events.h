// events.h — event types and their sources (MPI 5.0 §15.3.8): there are none, so no index, name,
// registration or instance is right.
//
// Thread safety: constant.

#pragma once

#include <mpi.h>

#include "base/error.h"

namespace heddle::tool {

// How many event types, or sources, there are.
Error no_events(int* count);

// What a call with one of these arguments comes to.
Error no_event_with_index(int event_index);
Error no_event_with_name(const char* name);
Error no_source_with_index(int source_index);
Error no_registration(MPI_T_event_registration registration);
Error no_instance(MPI_T_event_instance instance);

}  // namespace heddle::tool
