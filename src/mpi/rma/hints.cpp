#include "mpi/rma/hints.h"

#include <algorithm>
#include <string_view>

#include "mpi/info/hints.h"

namespace heddle::rma {

using info::Info;
using object::Ref;

namespace {

bool are_orders(std::string_view value) {
  if (value == "none") return true;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view order = value.substr(0, comma);
    if (order != "rar" && order != "raw" && order != "war" && order != "waw") return false;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return true;
}

bool are_ops(std::string_view value) {
  return value == "same_op" || value == "same_op_no_op";
}

constexpr info::Hint kKnown[] = {
    {"no_locks", info::is_boolean, "false"},
    {"accumulate_ordering", are_orders, "rar,raw,war,waw"},
    {"accumulate_ops", are_ops, "same_op_no_op"},
    {"mpi_accumulate_granularity", info::is_number, "0"},
    {"same_size", info::is_boolean, "false"},
    {"same_disp_unit", info::is_boolean, "false"},
    {"alloc_shared_noncontig", info::is_boolean, "false"},
    {"mpi_minimum_memory_alignment", info::is_number, nullptr},
    {"mpi_assert_memory_alloc_kinds", info::is_anything, nullptr},
};

}  // namespace

Ref<Info> hints_in_use(const Info* before, const Info* given) {
  auto hints = info::hints_in_use(kKnown, before, given);
  hints->set("mpi_memory_alloc_kinds", "mpi,system");
  return hints;
}

bool is_set(const Info& hints, const char* key) {
  return hints.get(key) == "true";
}

}  // namespace heddle::rma
