#include "exec/ult/switch/context.h"

#include <cstdint>
#include <new>

#include "base/platform/thread_pointer.h"

namespace heddle::ult {

extern "C" void heddle_context_entry() noexcept;  // never called, only jumped to

const bool kCanSetThreadPointer = platform::can_set_thread_pointer();
constinit std::atomic<bool> keeps_x87_flags{false};

namespace {

// The top of a new context's stack; context_x86_64.S knows the offsets.
struct alignas(16) FirstFrame {
  SavedFrame saved;
  void (*function)(void*);
  void* argument;
};
static_assert(offsetof(FirstFrame, function) == 64 && offsetof(FirstFrame, argument) == 72);

}  // namespace

FloatModes float_modes() noexcept {
  FloatModes modes;
  asm volatile("stmxcsr %0" : "=m"(modes.mxcsr));
  asm volatile("fnstcw %0" : "=m"(modes.x87_control));
  asm volatile("fnstsw %0" : "=m"(modes.x87_flags));
  constexpr std::uint16_t kFlags = 0x3f;
  modes.x87_flags &= kFlags;
  return modes;
}

void switch_context_by_system_call(Context& from, const Context& to) noexcept {
  switch_context_by<SetBase::kSystemCall>(from, to);
}

Context make_context(void* stack_top, void* thread_pointer, FloatModes modes,
                     void (*function)(void*), void* argument) noexcept {
  const std::uintptr_t top =
      reinterpret_cast<std::uintptr_t>(stack_top) & ~(alignof(FirstFrame) - 1);
  auto* const frame = reinterpret_cast<FirstFrame*>(top) - 1;
  // The stack pointer is aligned as it must be before a call; a null frame pointer marks the
  // outermost frame.
  new (frame) FirstFrame{
      {heddle_context_entry, frame, nullptr, modes.mxcsr, modes.x87_control, modes.x87_flags, {}},
      function,
      argument};
  return {&frame->saved, thread_pointer};
}

}  // namespace heddle::ult
