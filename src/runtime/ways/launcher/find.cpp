#include <cstdlib>

#include "runtime/ways/launcher/launcher.h"
#include "runtime/ways/launcher/pmi1.h"
#include "runtime/ways/launcher/pmix.h"

namespace heddle::launcher {

namespace {
bool by_pmi1() noexcept {
  return std::getenv("PMI_FD") != nullptr;
}
bool by_pmix() noexcept {
  return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}
}  // namespace

bool is_there() noexcept {
  return by_pmi1() || by_pmix();
}

Error find(std::unique_ptr<Launcher>* found) {
  found->reset();
  if (by_pmi1()) return Pmi1::from_environment(found);
  if (by_pmix()) return Pmix::from_environment(found);
  return {};
}

}  // namespace heddle::launcher
