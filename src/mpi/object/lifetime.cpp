#include "mpi/object/lifetime.h"

#include "base/settings.h"

namespace heddle::object {

const Policy policy = static_cast<Policy>(settings::value(settings::Id::kLifetime));

}  // namespace heddle::object
