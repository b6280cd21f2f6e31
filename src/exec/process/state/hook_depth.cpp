#include "exec/process/state/hook_depth.h"

namespace heddle::libc {

thread_local constinit int hook_depth = 0;

}  // namespace heddle::libc
