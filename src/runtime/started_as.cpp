#include "runtime/started_as.h"

#include <sys/utsname.h>

#include "mpi/comm/comm_attributes.h"
#include "mpi/object/info.h"

namespace heddle::runtime {

void describe_start(const StartedAs& start) {
  comm::environment().application = start.application;
  object::Info& info = object::environment();
  info.set("command", start.command);
  info.set("argv", start.arguments);
  info.set("maxprocs", std::to_string(start.ranks));
  info.set("wdir", start.directory);
  utsname machine = {};
  if (uname(&machine) != 0) return;
  info.set("host", machine.nodename);
  info.set("arch", machine.machine);
}

}  // namespace heddle::runtime
