#include "mpi/lifetime/freeing.h"

#include "base/settings.h"
#include "exec/rank/rank.h"
#include "mpi/lifetime/collector.h"

namespace heddle::lifetime {

namespace {

const bool frees_start_cycles =
    settings::value(settings::Id::kCycleAt) == static_cast<int>(settings::CycleAt::kFreeing);

#ifdef NDEBUG
constexpr bool kChecks = false;
#else
constexpr bool kChecks = true;
#endif

bool is_used(const Managed& object) noexcept {
  bool found = false;
  TransientPool::of_rank().for_each([&](const Transient& transient) {
    for (int i = 0; i < Transient::kReferences; ++i) found |= transient.get(i) == &object;
  });
  return found;
}

}  // namespace

Freeing::~Freeing() {
  if (frees_start_cycles && policy == Policy::kCollector && Rank::current() != nullptr) {
    Collector::of_rank().collect_if_due();
  }
}

Error Freeing::check_unused(const Managed& object, int error_class, const char* argument) {
  if (!kChecks || policy != Policy::kAsserted || !is_used(object)) return {};
  return Error::make(error_class,
                     "argument %s is used by an operation that has not ended, but "
                     "HEDDLE_LIFETIME=asserted says that the program frees nothing that is in use",
                     argument);
}

}  // namespace heddle::lifetime
