#include "runtime/crew/main_strands.h"

#include <algorithm>

#include "base/spin_lock.h"

namespace heddle::runtime {

namespace {

// Lock: guards the main strands of ranks, null where one has ended.
constinit SpinLock lock_of_mains;
// Never destroyed: the monitor outlives static destructors.
auto& listed_mains = *new std::vector<ult::Ult*>;

}  // namespace

void list_main_strands(const std::vector<ult::Ult*>& mains) {
  SpinGuard guard(lock_of_mains);
  listed_mains = mains;
}

void with_main_strands(const std::function<void(const std::vector<ult::Ult*>&)>& use) {
  SpinGuard guard(lock_of_mains);
  use(listed_mains);
}

const std::vector<ult::Ult*>& main_strands_at_rest() noexcept {
  return listed_mains;
}

void forget_main_strand(std::size_t index) noexcept {
  SpinGuard guard(lock_of_mains);
  if (index < listed_mains.size()) listed_mains[index] = nullptr;
}

void forget_all_main_strands() noexcept {
  SpinGuard guard(lock_of_mains);
  std::ranges::fill(listed_mains, nullptr);
}

}  // namespace heddle::runtime
