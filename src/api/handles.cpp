#include "api/handles.h"

#include "api/handle_names.h"
#include "exec/rank/rank.h"

namespace heddle::api {

int bits_to_int(object::HandleBits handle) noexcept {
  if (object::is_constant(handle)) return static_cast<int>(handle);
  return Rank::current() == nullptr ? 0 : object::to_int(handle);
}

object::HandleBits bits_from_int(int value, object::HandleBits null) noexcept {
  const auto constant = static_cast<object::HandleBits>(static_cast<unsigned>(value));
  if (object::is_constant(constant)) return constant_name(constant) != nullptr ? constant : null;
  const object::HandleBits handle = object::from_int(value);
  return handle == 0 ? null : handle;
}

}  // namespace heddle::api
