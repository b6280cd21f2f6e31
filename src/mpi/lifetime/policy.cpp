#include "mpi/lifetime/policy.h"

#include "base/settings.h"

namespace heddle::lifetime {

const Policy policy = static_cast<Policy>(settings::value(settings::Id::kLifetime));

}  // namespace heddle::lifetime
