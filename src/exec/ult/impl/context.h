// context.h — what the processor must forget and remember when a worker changes strands.
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
// switch are predicted right; a switch that were a function, left by a jump, would leave a return
// too many, and each one after it would be predicted wrong (a tenth of an 8-byte message). The
// other registers are the compiler's to save, and it saves those that are in use.
//
// The floating-point words are written by every switch and loaded only when they differ. The x87
// status word is not switched: nothing but old long double code can see it.
//
// Thread safety: a context is run by one worker at a time; whoever queues it orders the hand-over.

#pragma once

#include <cstdint>

namespace heddle::ult {

// Rounding, exceptions and the like; a new context has those of whoever asked for it.
struct FloatModes {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
};
FloatModes float_modes() noexcept;

// The switch and context_x86_64.S know these offsets.
struct SavedFrame {
  void (*resume_at)() noexcept;
  void* stack_pointer;
  void* frame_pointer;
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
};
static_assert(sizeof(SavedFrame) == 4 * 8);

struct Context {
  SavedFrame* saved = nullptr;
  void* thread_pointer = nullptr;  // constant: a context never changes its TLS block
};

// Constant after start-up: this kernel and CPU let user code set the FS base.
extern const bool kCanSetThreadPointer;

// The switch is its TLS base, HEDDLE_SAVE and HEDDLE_GO_ON, and HEDDLE_LOAD_MODES where the modes
// differ, with these registers:
//
//   rsi  the frame to go on with        rdx  its TLS base
//   rdi  the frame to save to           rcx  where its address is noted
//
// The TLS base comes first, while the stack is still the old one: wrfsbase waits for what is under
// way and holds up what follows, and here there is least of both (1 ns of 21). Nothing between the
// two touches thread_local data.
#define HEDDLE_SET_BASE_BY_INSTRUCTION "wrfsbase %%rdx\n\t"
#define HEDDLE_SET_BASE_BY_SYSTEM_CALL                                  \
  "movq %%rdi, %%r8\n\t" /* the system call changes rax, rcx and r11 */ \
  "movq %%rsi, %%r9\n\t"                                                \
  "movq %%rcx, %%r10\n\t"                                               \
  "movl $158, %%eax\n\t"    /* SYS_arch_prctl */                        \
  "movl $0x1002, %%edi\n\t" /* ARCH_SET_FS */                           \
  "movq %%rdx, %%rsi\n\t"                                               \
  "syscall\n\t"                                                         \
  "movq %%r8, %%rdi\n\t"                                                \
  "movq %%r9, %%rsi\n\t"                                                \
  "movq %%r10, %%rcx\n\t"
#define HEDDLE_SAVE             \
  "leaq 1f(%%rip), %%rax\n\t"   \
  "movq %%rdi, (%%rcx)\n\t"     \
  "movq %%rax, (%%rdi)\n\t"     \
  "movq %%rsp, 8(%%rdi)\n\t"    \
  "movq %%rbp, 16(%%rdi)\n\t"   \
  "stmxcsr 24(%%rdi)\n\t"       \
  "fnstcw 28(%%rdi)\n\t"        \
  "movl 24(%%rdi), %%eax\n\t"   \
  "cmpl %%eax, 24(%%rsi)\n\t"   \
  "jne 3f\n\t"                  \
  "movzwl 28(%%rdi), %%eax\n\t" \
  "cmpw %%ax, 28(%%rsi)\n\t"    \
  "jne 3f\n"
#define HEDDLE_LOAD_MODES     \
  "3:\tldmxcsr 24(%%rsi)\n\t" \
  "fldcw 28(%%rsi)\n\t"
#define HEDDLE_GO_ON             \
  "2:\tmovq 8(%%rsi), %%rsp\n\t" \
  "movq 16(%%rsi), %%rbp\n\t"    \
  "jmpq *(%%rsi)\n"
#define HEDDLE_REGISTERS                                                                           \
  "rax", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",      \
      "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",  \
      "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc", \
      "memory"

// How the TLS base is set: without a system call, or by arch_prctl(ARCH_SET_FS).
enum class SetBase { kInstruction, kSystemCall };

template <SetBase kBy>
[[gnu::always_inline]] inline void switch_context_by(Context& from, const Context& to) noexcept {
  SavedFrame saved;
  SavedFrame** saved_at = &from.saved;
  SavedFrame* save_to = &saved;
  SavedFrame* go_on = to.saved;
  void* thread_pointer = to.thread_pointer;
  if constexpr (kBy == SetBase::kInstruction) {
    asm volatile(HEDDLE_SET_BASE_BY_INSTRUCTION HEDDLE_SAVE HEDDLE_GO_ON HEDDLE_LOAD_MODES
                 "jmp 2b\n1:"
                 : "+c"(saved_at), "+D"(save_to), "+S"(go_on), "+d"(thread_pointer)
                 :
                 : HEDDLE_REGISTERS);
  } else {
    asm volatile(HEDDLE_SET_BASE_BY_SYSTEM_CALL HEDDLE_SAVE HEDDLE_GO_ON HEDDLE_LOAD_MODES
                 "jmp 2b\n1:"
                 : "+c"(saved_at), "+D"(save_to), "+S"(go_on), "+d"(thread_pointer)
                 :
                 : HEDDLE_REGISTERS);
  }
}

// Its own function, so that the usual way stays small enough to be inlined.
void switch_context_by_system_call(Context& from, const Context& to) noexcept;

// Continues the other context. Returns when somebody switches back.
[[gnu::always_inline]] inline void switch_context(Context& from, const Context& to) noexcept {
  if (kCanSetThreadPointer) [[likely]] {
    switch_context_by<SetBase::kInstruction>(from, to);
  } else {
    switch_context_by_system_call(from, to);
  }
}

// Continues the other context, for good. Saves nothing: the stack that is left may serve another ult
// at once, and AddressSanitizer would find the guards of a saved frame there.
[[noreturn]] inline void leave_to_context(const Context& to) noexcept {
  if (kCanSetThreadPointer) {
    asm volatile(HEDDLE_SET_BASE_BY_INSTRUCTION HEDDLE_LOAD_MODES HEDDLE_GO_ON
                 :
                 : "S"(to.saved), "d"(to.thread_pointer)
                 : "memory");
  } else {
    asm volatile(HEDDLE_SET_BASE_BY_SYSTEM_CALL HEDDLE_LOAD_MODES HEDDLE_GO_ON
                 :
                 : "S"(to.saved), "d"(to.thread_pointer)
                 : "memory");
  }
  __builtin_unreachable();
}
#undef HEDDLE_SET_BASE_BY_INSTRUCTION
#undef HEDDLE_SET_BASE_BY_SYSTEM_CALL
#undef HEDDLE_SAVE
#undef HEDDLE_LOAD_MODES
#undef HEDDLE_GO_ON
#undef HEDDLE_REGISTERS

// Makes a suspended context below `stack_top` that will call function(argument), which must not
// return.
Context make_context(void* stack_top, void* thread_pointer, FloatModes modes,
                     void (*function)(void*), void* argument) noexcept;

}  // namespace heddle::ult
