#include "base/schedule_point.h"

namespace heddle {

#if defined(HEDDLE_FORCED_YIELDS)
std::atomic<void (*)()> schedule_point_hook{nullptr};
thread_local constinit int sections_without_switch = 0;
#endif

}  // namespace heddle
