#include "mpi/info/hints.h"

namespace heddle::info {

object::Ref<Info> hints_in_use(std::span<const Hint> known, const Info* before, const Info* given) {
  auto hints = object::Ref<Info>::adopt(new Info());
  for (const Hint& hint : known) {
    if (hint.usual != nullptr) hints->set(hint.key, hint.usual);
    for (const Info* source : {before, given}) {
      const auto value = source != nullptr ? source->get(hint.key) : std::nullopt;
      if (value && hint.fits(*value)) hints->set(hint.key, *value);
    }
  }
  return hints;
}

bool is_number(std::string_view value) noexcept {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_boolean(std::string_view value) noexcept {
  return value == "true" || value == "false";
}

}  // namespace heddle::info
