#include "runtime/interruption.h"

#include "base/settings.h"
#include "exec/image/image.h"
#include "exec/process/exit/rank_over.h"
#include "exec/process/signals/signals.h"
#include "exec/process/text/string_code.h"
#include "exec/rank/rank.h"

namespace heddle::runtime {

namespace {

// True if the calling strand is in its program, or in libc for the program.
bool is_in_program() {
  return Rank::current() != nullptr && !Rank::is_in_mpi() && !process::is_loading();
}

}  // namespace

// Sanitizers hold signals back until it is too late to switch.
std::int64_t slice_ns() noexcept {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 0;
#else
  return 1000 * settings::value(settings::Id::kTimeSlice);
#endif
}

bool is_program_code(std::uintptr_t program_counter) {
  if (!is_in_program()) return false;
  const image::Image* image = image::current();
  return image != nullptr && image->has_code_at(program_counter);
}

// True if no other strand can wait for a lock that the calling one holds: it computes, or spins, or
// compares memory until it has changed. A handler of the program may have interrupted any code, so
// the answer there is no.
bool may_interrupt(std::uintptr_t program_counter, std::uintptr_t top_of_stack) {
  if (process::signals::in_handler()) return false;
  return is_program_code(program_counter) ||
         (process::has_string_code_at(program_counter) && is_program_code(top_of_stack));
}

// A strand that loads code may hold a lock of the dynamic linker that pthread_create needs.
bool may_leave() {
  return !process::is_loading();
}

}  // namespace heddle::runtime
