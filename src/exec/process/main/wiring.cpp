#include "exec/process/main/wiring.h"

#include "exec/process/descriptors/open_files.h"
#include "exec/process/files/directory.h"
#include "exec/process/streams/streams.h"
#include "exec/process/text/string_code.h"
#include "exec/ult/scheduler.h"

namespace heddle::process {

Error wire(const Wiring& wiring) {
  raise_open_files();
  configure_output(wiring.output);
  set_rank_ender(wiring.ender);
  set_plugin_loader(wiring.plugins);
  find_string_code();
  ult::add_worker_hooks({separate_worker_directory, nullptr});
  return capture_libc_streams();
}

void unwire() noexcept {
  release_libc_streams();
}

}  // namespace heddle::process
