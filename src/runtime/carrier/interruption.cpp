#include "runtime/carrier/interruption.h"

#include "base/settings.h"
#include "base/standing.h"
#include "exec/image/image.h"
#include "exec/process/text/string_code.h"

namespace heddle::runtime {

// Sanitizers hold signals back until it is too late to switch.
std::int64_t slice_ns() noexcept {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return 1000 * settings::value(settings::Id::kTimeSlice);
#endif
}

bool is_program_code(std::uintptr_t program_counter) {
  if (Standing::is_in(Standing::kLoading)) return false;
  const image::Image* image = image::current();
  return image != nullptr && image->has_code_at(program_counter);
}

bool is_program_or_string_code(std::uintptr_t program_counter, std::uintptr_t top_of_stack) {
  return is_program_code(program_counter) ||
         (process::has_string_code_at(program_counter) && is_program_code(top_of_stack));
}

}  // namespace heddle::runtime
