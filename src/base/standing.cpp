#include "base/standing.h"

namespace heddle {

thread_local constinit Standing Standing::mine;

}  // namespace heddle
