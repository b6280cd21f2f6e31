#include "base/schedule_point.h"

namespace heddle {

#if defined(HEDDLE_FORCED_YIELDS)
std::atomic<void (*)()> schedule_point_hook{nullptr};
#endif

}  // namespace heddle
