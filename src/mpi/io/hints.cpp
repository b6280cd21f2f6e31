#include "mpi/io/hints.h"

#include <climits>
#include <cstdlib>
#include <string>

namespace heddle::io {

using info::Info;
using object::Ref;

namespace {

enum class Values { kNumber, kSwitch, kAny };

struct Known {
  const char* key;
  Values values;
  const char* usual;  // null: not told unless the program has given it
};

constexpr Known kKnown[] = {
    {"cb_nodes", Values::kNumber, "2"},
    {"cb_buffer_size", Values::kNumber, "4194304"},
    {"collective_buffering", Values::kAny, nullptr},
    {"access_style", Values::kAny, nullptr},
    {"striping_factor", Values::kNumber, nullptr},
    {"striping_unit", Values::kNumber, nullptr},
    {"num_io_nodes", Values::kNumber, nullptr},
    {"nb_proc", Values::kNumber, nullptr},
    {"file_perm", Values::kAny, nullptr},
    {"romio_cb_read", Values::kSwitch, nullptr},
    {"romio_cb_write", Values::kSwitch, nullptr},
    {"romio_ds_read", Values::kSwitch, nullptr},
    {"romio_ds_write", Values::kSwitch, nullptr},
    {"romio_no_indep_rw", Values::kAny, nullptr},
};

bool fits(Values values, const std::string& value) {
  switch (values) {
    case Values::kNumber:
      return !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    case Values::kSwitch:
      return value == "enable" || value == "disable" || value == "automatic";
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
  return hints;
}

int aggregators_of(const Info& hints) {
  const auto value = hints.get("cb_nodes");
  const long wanted = value ? std::strtol(value->c_str(), nullptr, 10) : 0;
  return wanted > 0 && wanted < INT_MAX ? static_cast<int>(wanted) : 2;
}

}  // namespace heddle::io
