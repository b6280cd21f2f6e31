#include "mpi/rma/hints.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace heddle::rma {

using info::Info;
using object::Ref;

namespace {

// What a value may be.
enum class Values { kBoolean, kNumber, kOrders, kOps, kAny };

struct Known {
  const char* key;
  Values values;
  const char* usual;  // null: not told unless the program has given it
};

constexpr Known kKnown[] = {
    {"no_locks", Values::kBoolean, "false"},
    {"accumulate_ordering", Values::kOrders, "rar,raw,war,waw"},
    {"accumulate_ops", Values::kOps, "same_op_no_op"},
    {"mpi_accumulate_granularity", Values::kNumber, "0"},
    {"same_size", Values::kBoolean, "false"},
    {"same_disp_unit", Values::kBoolean, "false"},
    {"alloc_shared_noncontig", Values::kBoolean, "false"},
    {"mpi_minimum_memory_alignment", Values::kNumber, nullptr},
    {"mpi_assert_memory_alloc_kinds", Values::kAny, nullptr},
};

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

bool fits(Values values, const std::string& value) {
  switch (values) {
    case Values::kBoolean:
      return value == "true" || value == "false";
    case Values::kNumber:
      return !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    case Values::kOrders:
      return are_orders(value);
    case Values::kOps:
      return value == "same_op" || value == "same_op_no_op";
    case Values::kAny:
      return true;
  }
  return false;
}

}  // namespace

Ref<Info> hints_in_use(const Info* before, const Info* given) {
  auto hints = Ref<Info>::adopt(new Info());
  for (const Known& known : kKnown) {
    if (known.usual != nullptr) hints->set(known.key, known.usual);
    for (const Info* source : {before, given}) {
      const auto value = source != nullptr ? source->get(known.key) : std::nullopt;
      if (value && fits(known.values, *value)) hints->set(known.key, *value);
    }
  }
  hints->set("mpi_memory_alloc_kinds", "mpi,system");
  return hints;
}

bool is_set(const Info& hints, const char* key) {
  return hints.get(key) == "true";
}

}  // namespace heddle::rma
