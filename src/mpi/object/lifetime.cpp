#include "mpi/object/lifetime.h"

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace heddle::object {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"atomic", "predefined", "collector", "none"};

std::optional<Policy> policy_named(std::string_view wanted) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == wanted) return static_cast<Policy>(i);
  }
  return {};
}

const char* setting() noexcept {
  return std::getenv("HEDDLE_LIFETIME");
}

}  // namespace

const Policy policy = policy_named(setting() != nullptr ? setting() : "collector")
                          .value_or(Policy::kCollector);  // check_policy() tells

Error check_policy() {
  if (setting() == nullptr || policy_named(setting())) return {};
  return Error::make(MPI_ERR_ARG,
                     "HEDDLE_LIFETIME is \"%s\", but must be atomic, predefined, collector or none",
                     setting());
}

}  // namespace heddle::object
