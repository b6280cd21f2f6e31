// context.h — what the processor must forget and remember when a worker changes strands.
//
// A suspended context is a stack with this on top, and the address of its TLS block:
//
//   stack_pointer ─► | mxcsr, x87 control word, padding | 8 bytes
//                    | r15 r14 r13 r12 rbx rbp          | what a called function must preserve
//                    | return address                   |
//
// The floating-point words are written by every switch and loaded only when they differ. The x87
// status word is not switched: nothing but old long double code can see it.
//
// Thread safety: a context is run by one worker at a time; whoever queues it orders the hand-over.

#pragma once

#include <cstdint>

namespace heddle::ult {

struct Context {
  void* stack_pointer = nullptr;
  void* thread_pointer = nullptr;  // constant: a context never changes its TLS block
};

extern "C" {
// Both save the caller's registers on its stack, store its stack pointer, and continue the other
// context. They return when somebody switches back. No system call / one system call.
void heddle_switch_wrfsbase(void** save_stack_pointer, void* stack_pointer,
                            void* thread_pointer) noexcept;
void heddle_switch_arch_prctl(void** save_stack_pointer, void* stack_pointer,
                              void* thread_pointer) noexcept;
// First instructions of a new context.
void heddle_context_entry() noexcept;
}

// Constant after start-up: this kernel and CPU let user code set the FS base.
extern const bool kCanSetThreadPointer;

inline void switch_context(Context& from, const Context& to) noexcept {
  if (kCanSetThreadPointer) [[likely]] {
    heddle_switch_wrfsbase(&from.stack_pointer, to.stack_pointer, to.thread_pointer);
  } else {
    heddle_switch_arch_prctl(&from.stack_pointer, to.stack_pointer, to.thread_pointer);
  }
}

// Rounding, exceptions and the like; a new context has those of whoever asked for it.
struct FloatModes {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};
FloatModes float_modes() noexcept;

// Makes a suspended context below `stack_top` that will call function(argument), which must not
// return.
Context make_context(void* stack_top, void* thread_pointer, FloatModes modes,
                     void (*function)(void*), void* argument) noexcept;

}  // namespace heddle::ult
