#include "base/section_without_switch.h"

namespace heddle {

thread_local constinit int sections_without_switch = 0;

}  // namespace heddle
