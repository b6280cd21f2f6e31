#include "exec/ult/impl/context.h"

#include <cstdint>
#include <cstring>

#include "base/platform/thread_pointer.h"

namespace heddle::ult {

const bool kCanSetThreadPointer = platform::can_set_thread_pointer();

namespace {

// The top of a suspended stack, see context.h.
struct SavedFrame {
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  std::uint16_t padding;
  std::uint64_t r15, r14;
  void* r13;
  void (*r12)(void*);
  std::uint64_t rbx, rbp;
  void (*return_address)() noexcept;
};
static_assert(sizeof(SavedFrame) == 8 * 8);

constexpr std::uintptr_t kStackAlignment = 16;

}  // namespace

FloatModes float_modes() noexcept {
  FloatModes modes;
  asm volatile("stmxcsr %0" : "=m"(modes.mxcsr));
  asm volatile("fnstcw %0" : "=m"(modes.x87_control));
  return modes;
}

Context make_context(void* stack_top, void* thread_pointer, FloatModes modes,
                     void (*function)(void*), void* argument) noexcept {
  const std::uintptr_t top = reinterpret_cast<std::uintptr_t>(stack_top) & ~(kStackAlignment - 1);
  auto* frame = reinterpret_cast<SavedFrame*>(top) - 1;
  std::memset(frame, 0, sizeof *frame);
  frame->mxcsr = modes.mxcsr;
  frame->x87_control = modes.x87_control;
  frame->r12 = function;
  frame->r13 = argument;
  frame->return_address = heddle_context_entry;
  return {frame, thread_pointer};
}

}  // namespace heddle::ult
