#include "exec/ult/run/watching.h"

namespace heddle::ult {

constinit std::atomic<const Watch*> the_watch{nullptr};

}  // namespace heddle::ult
