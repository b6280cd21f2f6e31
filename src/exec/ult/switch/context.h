// context.h — the switch: saves the processor's state for one strand and loads it for another.
//
// A suspended context is where it goes on, in the frame of the function that switched, and the
// address of its TLS block:
//
//   Context { saved, thread_pointer }
//               │
//               └─► SavedFrame { resume_at, stack_pointer, frame_pointer,
//                                mxcsr, x87_control, x87_flags }
//
// The switch is an asm statement inside that function, and neither calls nor returns: the processor
// predicts a return by the calls that it has seen, whatever stack they were on. Two ranks that wait
// in the same function have the same callers up to the program, so all returns after the switch are
// predicted right. If the switch were a function that is left by a jump, one return would be
// missing, and each later one would be predicted wrong (docs/decisions/0037). The compiler saves
// the other registers: those of the callers when the function begins, and those in use at the
// switch.
//
// A switch writes the floating-point words: modes and sticky exception flags, of SSE and, where a
// program can see them, of x87. It loads the other's only when they differ. The rest of the x87
// state is empty at every call, so there is nothing to keep of it. What the processor keeps for a
// kernel thread besides is listed in docs/decisions/0012.
//
// Thread safety: a context is run by one worker at a time; the thread that queues it orders the
// hand-over.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::ult {

// Rounding, exceptions and their sticky flags; a new context has those of the strand that asked for
// it.
struct FloatModes {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
  std::uint16_t x87_flags = 0;  // the six exceptions of the status word
};
FloatModes float_modes() noexcept;

struct SavedFrame {
  void (*resume_at)() noexcept;
  void* stack_pointer;
  void* frame_pointer;
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  std::uint16_t x87_flags;
  // Scratch of the thread that loads them: x87 flags can be set only with the whole environment.
  std::uint16_t x87_environment[14];
};
// The asm statements below know them.
static_assert(offsetof(SavedFrame, resume_at) == 0 && offsetof(SavedFrame, stack_pointer) == 8 &&
              offsetof(SavedFrame, frame_pointer) == 16 && offsetof(SavedFrame, mxcsr) == 24 &&
              offsetof(SavedFrame, x87_control) == 28 && offsetof(SavedFrame, x87_flags) == 30 &&
              offsetof(SavedFrame, x87_environment) == 32);

struct Context {
  SavedFrame* saved = nullptr;
  void* thread_pointer = nullptr;  // constant: a context never changes its TLS block
};

// Constant after start-up: this kernel and CPU let user code set the FS base.
extern const bool kCanSetThreadPointer;

// Whether switches keep the sticky flags of x87, too. To read them costs a sixth of a switch, and
// only few programs can see them; so it begins with the first one (exec/image/file/float_flags.h)
// and never ends. relaxed: a context that is saved before has no flags.
extern std::atomic<bool> keeps_x87_flags;
inline void keep_x87_flags() noexcept {
  keeps_x87_flags.store(true, std::memory_order_relaxed);
}

// How the TLS base is set: without a system call, or by arch_prctl(ARCH_SET_FS).
enum class SetBase { kInstruction, kSystemCall };

// The text with which both asm statements begin, and the AVX-512 registers that a compiler may have
// in use. asm needs literals. The TLS base comes first, while the stack is still the old one:
// wrfsbase waits for what is under way and holds up what follows, and here there is least of both
// (1 ns). Nothing between the new TLS base and the new stack touches thread_local data.
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
// Loads the x87 words of the frame in rsi. The flags that the thread has are cleared first: with
// exceptions that the new control word does not mask, they would trap in the innocent context. Its
// own may well be pending, and trap in its code. Changes eax.
#define HEDDLE_LOAD_X87                                           \
  "fnstsw %%ax\n\t"                                               \
  "testb $0x3f, %%al\n\t"                                         \
  "jz .Lheddle_clear%=\n\t"                                       \
  "fnclex\n"                                                      \
  ".Lheddle_clear%=:\n\t"                                         \
  "cmpw $0, 30(%%rsi)\n\t"                                        \
  "jne .Lheddle_flags%=\n\t"                                      \
  "fldcw 28(%%rsi)\n\t"                                           \
  "jmp .Lheddle_x87_loaded%=\n"                                   \
  ".Lheddle_flags%=:\n\t"                                         \
  "fnstenv 32(%%rsi)\n\t"                                         \
  "movzwl 28(%%rsi), %%eax\n\t"                                   \
  "movw %%ax, 32(%%rsi)\n\t" /* the control word is at 0 of it */ \
  "movzwl 30(%%rsi), %%eax\n\t"                                   \
  "orw %%ax, 36(%%rsi)\n\t" /* the status word at 4 */            \
  "fldenv 32(%%rsi)\n"                                            \
  ".Lheddle_x87_loaded%=:\n\t"
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
  // 1: the flags are to be kept, and take its place. By way of memory, since no register is left
  // for an operand.
  saved.x87_flags = keeps_x87_flags.load(std::memory_order_relaxed) ? 1 : 0;
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
               "cmpw $0, 30(%%rdi)\n\t"
               "jne .Lheddle_keep%=\n"
               ".Lheddle_kept%=:\n\t"
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
               ".Lheddle_keep%=:\n\t"  // 3 ns
               "fnstsw %%ax\n\t"
               "andl $0x3f, %%eax\n\t"
               "movw %%ax, 30(%%rdi)\n\t"
               "cmpw %%ax, 30(%%rsi)\n\t"
               "je .Lheddle_kept%=\n"
               ".Lheddle_modes%=:\n\t"  // often the flags of SSE alone
               "ldmxcsr 24(%%rsi)\n\t"
               "movzwl 28(%%rdi), %%eax\n\t"
               "xorw 28(%%rsi), %%ax\n\t"
               "movzwl 30(%%rdi), %%r8d\n\t"
               "xorw 30(%%rsi), %%r8w\n\t"
               "orw %%r8w, %%ax\n\t"
               "jz .Lheddle_go_on%=\n\t" HEDDLE_LOAD_X87
               "jmp .Lheddle_go_on%=\n"
               ".Lheddle_resume%=:"
               : "+D"(save_to), "+c"(saved_at), "+S"(go_on), "+d"(thread_pointer)
               : [by_system_call] "i"(kBy == SetBase::kSystemCall)
               : "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                 "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)",
                 "st(5)", "st(6)", "st(7)" HEDDLE_AVX512_REGISTERS, "cc", "memory");
}

// Continues the other context, for good. Saves nothing: the stack that is left may serve another
// ult at once, and AddressSanitizer would find the guards of a saved frame there. Names no
// registers, because no code comes after it.
template <SetBase kBy>
[[noreturn]] inline void leave_to_context_by(const Context& to) noexcept {
  asm volatile(HEDDLE_SET_BASE "ldmxcsr 24(%%rsi)\n\t" HEDDLE_LOAD_X87
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
#undef HEDDLE_LOAD_X87
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
