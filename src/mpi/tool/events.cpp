#include "mpi/tool/events.h"

#include "mpi/tool/out.h"

namespace heddle::tool {

Error no_events(int* count) {
  *count = 0;
  return {};
}

Error no_event_with_index(int event_index) {
  return check_index("event_index", event_index, 0, "event types");
}

Error no_event_with_name(const char* name) {
  return no_such_name("event types", name);
}

Error no_source_with_index(int source_index) {
  return check_index("source_index", source_index, 0, "sources of events");
}

Error no_registration(MPI_T_event_registration registration) {
  return bad_handle("event_registration", registration, "an event type");
}

Error no_instance(MPI_T_event_instance instance) {
  return bad_handle("event_instance", instance, "an event");
}

}  // namespace heddle::tool
