#include "exec/process/descriptors/raw_calls.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>

#include "base/fork.h"
#include "exec/process/descriptors/descriptor_owners.h"
#include "exec/process/descriptors/descriptors.h"
#include "exec/process/state/rank_state.h"

namespace heddle::process {

namespace {

// Written from spec/system.calls: bit i of descriptor_arguments() says that argument i is a
// descriptor.
#include "system_calls.inc"

bool is_standard(long descriptor) noexcept {
  return descriptor >= 0 && descriptor <= 2;
}

// True if the call makes a process with memory of its own.
bool makes_process(long number, long first) noexcept {
  if (number == SYS_clone3)
    return (reinterpret_cast<const clone_args*>(first)->flags & CLONE_VM) == 0;
  return number == SYS_fork || (number == SYS_clone && (first & CLONE_VM) == 0);
}

}  // namespace

bool prepare_raw_call(long number, long (&arguments)[6], long* result) noexcept {
  const RankState* const rank = hosted_state();
  if (rank == nullptr || is_child()) return false;
  if (rank->image != nullptr && rank->image->call_by_number(number, arguments, result) != 0) {
    return true;
  }
  if (number == SYS_close && is_standard(arguments[0])) {
    *result = close_standard(static_cast<int>(arguments[0]));
    return true;
  }
  if ((number == SYS_dup2 || number == SYS_dup3) && is_standard(arguments[1])) {
    *result = redirect(static_cast<int>(arguments[0]), static_cast<int>(arguments[1]));
    return true;
  }
  unsigned descriptors =
      number == SYS_dup2 || number == SYS_dup3 ? 1 : descriptor_arguments(number);
  for (long& argument : arguments) {
    if ((descriptors & 1) != 0 && is_standard(argument)) {
      argument = process_descriptor(static_cast<int>(argument));
    }
    descriptors >>= 1;
  }
  return false;
}

void note_raw_call(long number, long first, long result) noexcept {
  if (result < 0) return;
  if (result == 0 && makes_process(number, first)) return become_child();
  const RankState* const rank = hosted_state();
  if (rank == nullptr || is_child()) return;
  if (number == SYS_close) {
    disown_descriptor(static_cast<int>(first));
  } else if (makes_descriptor(number) && result > 2) {
    adopt_descriptor(static_cast<int>(result));
  }
}

}  // namespace heddle::process
