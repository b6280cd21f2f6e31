#include "exec/process/signals/nudge.h"

#include "base/platform/signals.h"

namespace heddle::process::signals {

namespace {
// The value of our nudges is its address.
constinit char ours = 0;
}  // namespace

void nudge(int kernel_thread, int signal) noexcept {
  platform::signal_thread(kernel_thread, signal, &ours);
}

bool is_nudge(const siginfo_t& info) noexcept {
  return info.si_code == SI_QUEUE && info.si_value.sival_ptr == &ours;
}

}  // namespace heddle::process::signals
