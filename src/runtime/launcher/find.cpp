#include <cstdlib>

#include "runtime/launcher/launcher.h"
#include "runtime/launcher/pmi1.h"
#include "runtime/launcher/pmix.h"

namespace heddle::launcher {

Error find(std::unique_ptr<Launcher>* found) {
  found->reset();
  if (std::getenv("PMI_FD") != nullptr) return Pmi1::from_environment(found);
  if (std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr) {
    return Pmix::from_environment(found);
  }
  return {};
}

}  // namespace heddle::launcher
