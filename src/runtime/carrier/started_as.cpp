#include "runtime/carrier/started_as.h"

#include <sys/utsname.h>

#include "base/settings.h"
#include "mpi/comm/comm_attributes.h"
#include "mpi/info/info.h"

namespace heddle::runtime {

void describe_start(const StartedAs& start) {
  comm::environment().application = start.application;
  info::Info& info = info::environment();
  info.set("command", start.command);
  info.set("argv", start.arguments);
  info.set("maxprocs", std::to_string(start.ranks));
  info.set("wdir", start.directory);
  const settings::Setting& handler = settings::setting_of(settings::Id::kInitialErrhandler);
  const auto chosen = static_cast<std::size_t>(settings::value(settings::Id::kInitialErrhandler));
  info.set("mpi_initial_errhandler", handler.choices[chosen]);
  utsname machine = {};
  if (uname(&machine) != 0) return;
  info.set("host", machine.nodename);
  info.set("arch", machine.machine);
}

}  // namespace heddle::runtime
