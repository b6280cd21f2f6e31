// context.h — the switch: saves the processor's state for one strand and loads it for another.
//
// A suspended context is where it goes on, in the frame of the function that switched, and the
// address of its TLS block:
//
//   Context { saved, thread_pointer }
//               │
//               └─► SavedFrame { resume_at, stack_pointer, frame_pointer, mxcsr, x87_control }
//
// The switch is an asm statement inside that function, and neither calls nor returns: the
// processor predicts a return by the calls that it has seen, whatever stack they were on. Two ranks
// that wait in the same function have the same callers up to the program, so all returns after the
// switch are predicted right. If the switch were a function that is left by a jump, one return would be
// missing, and each later one would be predicted wrong (docs/decisions/0037). The compiler saves the
// other registers: those of the callers when the function begins, and those in use at the switch.
//
// A switch writes the floating-point words and loads the other's only when they differ. The x87
// status word is not switched: nothing but old long double code can see it.
//
// Thread safety: a context is run by one worker at a time; the thread that queues it orders the hand-over.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::ult {

// Rounding, exceptions and the like; a new context has those of the strand that asked for it.
struct FloatModes {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};
FloatModes float_modes() noexcept;

struct SavedFrame {
  void (*resume_at)() noexcept;
  void* stack_pointer;
  void* frame_pointer;
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
};
// The asm statements below know them.
static_assert(offsetof(SavedFrame, resume_at) == 0 && offsetof(SavedFrame, stack_pointer) == 8 &&
              offsetof(SavedFrame, frame_pointer) == 16 && offsetof(SavedFrame, mxcsr) == 24 &&
              offsetof(SavedFrame, x87_control) == 28);

struct Context {
  SavedFrame* saved = nullptr;
  void* thread_pointer = nullptr;  // constant: a context never changes its TLS block
};

// Constant after start-up: this kernel and CPU let user code set the FS base.
extern const bool kCanSetThreadPointer;

// How the TLS base is set: without a system call, or by arch_prctl(ARCH_SET_FS).
enum class SetBase { kInstruction, kSystemCall };

// The text with which both asm statements begin, and the AVX-512 registers that a compiler may have in use. asm
// needs literals. The TLS base comes first, while the stack is still the old one: wrfsbase waits for what
// is under way and holds up what follows, and here there is least of both (1 ns). Nothing between the
// new TLS base and the new stack touches thread_local data.
#define HEDDLE_SET_BASE                                              \
  ".if %c[by_system_call]\n\t"                                       \
  "movq %%rdi, %%r8\n\t" /* the system call changes rax, rcx, r11 */ \
  "movq %%rsi, %%r9\n\t"                                             \
  "movq %%rcx, %%r10\n\t"                                            \
  "movl $158, %%eax\n\t"    /* SYS_arch_prctl */                     \
  "movl $0x1002, %%edi\n\t" /* ARCH_SET_FS */                        \
  "movq %%rdx, %%rsi\n\t"                                            \
  "syscall\n\t"                                                      \
  "movq %%r8, %%rdi\n\t"                                             \
  "movq %%r9, %%rsi\n\t"                                             \
  "movq %%r10, %%rcx\n\t"                                            \
  ".else\n\t"                                                        \
  "wrfsbase %%rdx\n\t"                                               \
  ".endif\n\t"
#ifdef __AVX512F__
#define HEDDLE_AVX512_REGISTERS                                                                 \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",   \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", \
      "k6", "k7"
#else
#define HEDDLE_AVX512_REGISTERS
#endif

// rdi: the frame to save to, and rcx: where its address is noted; rsi: the frame to go on with, and
// rdx: its TLS base.
template <SetBase kBy>
[[gnu::always_inline]] inline void switch_context_by(Context& from, const Context& to) noexcept {
  SavedFrame saved;
  SavedFrame* save_to = &saved;
  SavedFrame** saved_at = &from.saved;
  SavedFrame* go_on = to.saved;
  void* thread_pointer = to.thread_pointer;
  asm volatile(HEDDLE_SET_BASE
               "movq %%rdi, (%%rcx)\n\t"
               "leaq .Lheddle_resume%=(%%rip), %%rax\n\t"
               "movq %%rax, (%%rdi)\n\t"
               "movq %%rsp, 8(%%rdi)\n\t"
               "movq %%rbp, 16(%%rdi)\n\t"
               "stmxcsr 24(%%rdi)\n\t"
               "fnstcw 28(%%rdi)\n\t"
               "movl 24(%%rdi), %%eax\n\t"
               "cmpl %%eax, 24(%%rsi)\n\t"
               "jne .Lheddle_modes%=\n\t"
               "movzwl 28(%%rdi), %%eax\n\t"
               "cmpw %%ax, 28(%%rsi)\n\t"
               "jne .Lheddle_modes%=\n"
               ".Lheddle_go_on%=:\n\t"
               "movq 8(%%rsi), %%rsp\n\t"
               "movq 16(%%rsi), %%rbp\n\t"
               "jmpq *(%%rsi)\n"
               ".Lheddle_modes%=:\n\t"  // slow, and hardly ever needed
               "ldmxcsr 24(%%rsi)\n\t"
               "fldcw 28(%%rsi)\n\t"
               "jmp .Lheddle_go_on%=\n"
               ".Lheddle_resume%=:"
               : "+D"(save_to), "+c"(saved_at), "+S"(go_on), "+d"(thread_pointer)
               : [by_system_call] "i"(kBy == SetBase::kSystemCall)
               : "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                 "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)",
                 "st(5)", "st(6)", "st(7)" HEDDLE_AVX512_REGISTERS, "cc", "memory");
}

// Continues the other context, for good. Saves nothing: the stack that is left may serve another ult
// at once, and AddressSanitizer would find the guards of a saved frame there. Names no registers,
// because no code comes after it.
template <SetBase kBy>
[[noreturn]] inline void leave_to_context_by(const Context& to) noexcept {
  asm volatile(HEDDLE_SET_BASE
               "ldmxcsr 24(%%rsi)\n\t"
               "fldcw 28(%%rsi)\n\t"
               "movq 8(%%rsi), %%rsp\n\t"
               "movq 16(%%rsi), %%rbp\n\t"
               "jmpq *(%%rsi)"
               :
               : "S"(to.saved),
                 "d"(to.thread_pointer), [by_system_call] "i"(kBy == SetBase::kSystemCall)
               : "memory");
  __builtin_unreachable();
}
#undef HEDDLE_SET_BASE
#undef HEDDLE_AVX512_REGISTERS

// The rare way, out of line, so that functions that inline the switch stay small.
[[gnu::cold, gnu::noinline]] void switch_context_by_system_call(Context& from,
                                                                const Context& to) noexcept;

// Continues the other context. Returns when another context switches back.
[[gnu::always_inline]] inline void switch_context(Context& from, const Context& to) noexcept {
  if (kCanSetThreadPointer) [[likely]] {
    switch_context_by<SetBase::kInstruction>(from, to);
  } else {
    switch_context_by_system_call(from, to);
  }
}

[[noreturn]] inline void leave_to_context(const Context& to) noexcept {
  if (kCanSetThreadPointer) {
    leave_to_context_by<SetBase::kInstruction>(to);
  } else {
    leave_to_context_by<SetBase::kSystemCall>(to);
  }
}

// Makes a suspended context below `stack_top` that will call function(argument), which must not
// return.
Context make_context(void* stack_top, void* thread_pointer, FloatModes modes,
                     void (*function)(void*), void* argument) noexcept;

}  // namespace heddle::ult
