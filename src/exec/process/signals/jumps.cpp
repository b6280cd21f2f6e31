#include "exec/process/signals/jumps.h"

#include <cstdint>
#include <cstring>

#include "exec/process/signals/dispatch.h"
#include "exec/process/signals/frame.h"
#include "exec/process/signals/rank_signals.h"
#include "exec/ult/alert.h"

namespace heddle::process::signals {

namespace {

using LeftCallEnder = void (*)(const char* call);
constinit LeftCallEnder on_left_call = nullptr;

// In the part of a jmp_buf for a mask that the kernel's 64 signals leave free.
struct Saved {
  Mask kernels;
  Mask mark;
  Mask blocked;
};
constexpr Mask kMark = 0x68656464'6c652e31;
static_assert(sizeof(Saved) <= sizeof(sigset_t));

}  // namespace

void set_ender_of_left_calls(void (*end_job)(const char*)) noexcept {
  on_left_call = end_job;
}

void save_mask(struct __jmp_buf_tag* target) noexcept {
  const StrandSignals& self = strand_signals();
  const bool ours = self.rank != nullptr && self.is_ult;
  const Saved saved = {0, ours ? kMark : 0, self.blocked};
  std::memcpy(&target->__saved_mask, &saved, sizeof saved);
}

void prepare_jump(struct __jmp_buf_tag* target) {
  StrandSignals& self = strand_signals();
  if (self.rank == nullptr) return;
  const std::uintptr_t to = stack_pointer_of(*target);
  ult::leave_call_before_jump(to);
  if (self.innermost != nullptr) {
    const char* const left = forget_runs_below(to);
    if (left != nullptr && on_left_call != nullptr) on_left_call(left);
  }
  Saved saved;
  std::memcpy(&saved, &target->__saved_mask, sizeof saved);
  if (!self.is_ult || target->__mask_was_saved == 0 || saved.mark != kMark) return;
  self.blocked = saved.blocked;
  run_pending();
}

}  // namespace heddle::process::signals
