#include "exec/process/state/hook_depth.h"

namespace heddle::process {

thread_local constinit int hook_depth = 0;

}  // namespace heddle::process
