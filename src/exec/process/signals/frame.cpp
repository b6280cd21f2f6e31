#include "exec/process/signals/frame.h"

#include <setjmp.h>

#include <cstddef>
#include <cstring>

#include "base/platform/signals.h"
#include "base/standing.h"
#include "exec/ult/program_signals.h"
#include "exec/ult/ult.h"

namespace heddle::process::signals {

namespace {

// The part of a context that the kernel writes and reads: all up to the 64 signals of its mask.
constexpr std::size_t kContextBytes = offsetof(ucontext_t, uc_sigmask) + platform::kMaskBytes;
constexpr std::uintptr_t kRedZone = 128;
constexpr std::uintptr_t kRoomBelow = 4 << 10;   // for what is called while the frame moves
constexpr std::uintptr_t kLeastRoom = 16 << 10;  // for a handler

bool is_within(std::uintptr_t address, const stack_t& stack) noexcept {
  const auto low = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  return (stack.ss_flags & SS_DISABLE) == 0 && address >= low && address < low + stack.ss_size;
}

// Bytes of floating-point and vector registers (Intel SDM: the software-reserved part of FXSAVE).
std::size_t register_bytes(const ucontext_t& context) noexcept {
  constexpr std::size_t kPlain = 512, kSoftwareReserved = 464;
  constexpr std::uint32_t kExtended = 0x46505853;
  std::uint32_t words[2];
  std::memcpy(words, reinterpret_cast<const char*>(context.uc_mcontext.fpregs) + kSoftwareReserved,
              sizeof words);
  return words[0] == kExtended ? words[1] : kPlain;
}

// The address from which a handler's stack grows down.
std::uintptr_t stack_top_for(const struct sigaction& action, const ucontext_t& context) noexcept {
  const std::uintptr_t at = platform::stack_pointer(context);
  const stack_t& own = strand_signals().stack;
  const bool on_own = (action.sa_flags & SA_ONSTACK) != 0 && own.ss_sp != nullptr &&
                      (own.ss_flags & SS_DISABLE) == 0 && !is_within(at, own);
  if (on_own) return reinterpret_cast<std::uintptr_t>(own.ss_sp) + own.ss_size;
  // The scheduler's signal comes on the stack that it interrupts, and so do signals to a thread
  // without another one: what runs here must not be written over.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return is_within(here, context.uc_stack) ? at - kRedZone : here - kRoomBelow;
}

bool has_room(std::uintptr_t top, std::size_t bytes) noexcept {
  const ult::Ult* const self = ult::current();
  if (self == nullptr) return true;  // the kernel's stacks have guards of their own
  const auto low = reinterpret_cast<std::uintptr_t>(ult::stack_of(*self).low);
  constexpr std::uintptr_t kBelow =
      1 << 20;  // one that has overflowed; farther away it is another stack
  return top + kBelow < low || top >= low + bytes + kLeastRoom;
}

void set_kernel_mask(Mask mask) noexcept {
  platform::change_mask_of_this_thread(SIG_SETMASK, set_of(mask), nullptr);
}

void set_mask(ucontext_t& context, Mask mask) noexcept {
  std::memcpy(&context.uc_sigmask, &mask, sizeof mask);
}

void call(const HandlerCall& run) {
  if ((run.action.sa_flags & SA_SIGINFO) != 0) {
    run.action.sa_sigaction(run.signal, &run.frame->info, &run.frame->context);
  } else {
    run.action.sa_handler(run.signal);
  }
}

// Runs on the stack of the program; all signals are blocked when it begins and when it ends.
void run_handler(HandlerCall* run) {
  StrandSignals& strand = strand_signals();
  ucontext_t& context = run->frame->context;
  run->outer = strand.innermost;
  set_innermost(strand, run);
  run->kernel_mask = mask_of(context.uc_sigmask);
  const Mask before = strand.is_ult ? blocked_by(strand) : run->kernel_mask;
  Mask during = before | (mask_of(run->action.sa_mask) & ~kNeverBlocked);
  if ((run->action.sa_flags & SA_NODEFER) == 0) during |= bit(run->signal);
  run->interrupted_call = Standing::mine.call;
  if (Standing::mine.call != nullptr) Standing::mine.call = Standing::kHandlerInsideMpi;
  run->interrupted_wait = ult::take_note();
  ++strand.handled;
  const bool restarts = (run->action.sa_flags & SA_RESTART) != 0;
  if (restarts) ++strand.handled_restarting;
  set_mask(context, before);  // the program's own, which it may change
  if (strand.is_ult) strand.blocked = during;
  set_kernel_mask(strand.is_ult ? run->kernel_mask : during);

  call(*run);

  set_kernel_mask(~Mask{0});
  Standing::mine.call = run->interrupted_call;
  ult::give_back_note(run->interrupted_wait);
  if (strand.is_ult) {
    strand.blocked = mask_of(context.uc_sigmask) & ~kNeverBlocked;
    // In a child of fork that the handler has made, the rank's mask is the kernel's.
    if (strand.rank != nullptr) set_mask(context, run->kernel_mask);
  }
  set_innermost(strand, run->outer);
  ult::leave_call_to_program(context, restarts);
  // The strand may have come to another kernel thread meanwhile, which keeps its signal stack.
  sigaltstack(nullptr, &context.uc_stack);
}

}  // namespace

bool run_on_its_stack(int signal, const struct sigaction& action, const siginfo_t& info,
                      const ucontext_t& context) noexcept {
  constexpr std::uintptr_t kRegisterAlignment = 64, kStackAlignment = 16;
  const std::size_t registers = register_bytes(context);
  const std::size_t all =
      registers + kRegisterAlignment + sizeof(HandlerCall) + sizeof(HandlerCall::Frame) + 64;
  std::uintptr_t top = stack_top_for(action, context);
  if (!has_room(top, all)) return false;
  const auto carve = [&top](std::size_t bytes, std::uintptr_t alignment) {
    top = (top - bytes) & ~(alignment - 1);
    return reinterpret_cast<void*>(top);
  };
  void* const saved_registers = carve(registers, kRegisterAlignment);
  std::memcpy(saved_registers, context.uc_mcontext.fpregs, registers);
  auto* const run = new (carve(sizeof(HandlerCall), kStackAlignment)) HandlerCall();
  // As after a call: the stack would be aligned without the return address.
  carve(sizeof(HandlerCall::Frame), kStackAlignment);
  top -= sizeof(void*);
  run->frame = reinterpret_cast<HandlerCall::Frame*>(top);
  platform::RawAction kernels;
  platform::get_raw_action(signal, &kernels);
  run->frame->restorer = kernels.restorer;
  std::memset(&run->frame->context, 0, sizeof(ucontext_t));
  std::memcpy(&run->frame->context, &context, kContextBytes);
  run->frame->context.uc_mcontext.fpregs = static_cast<fpregset_t>(saved_registers);
  run->frame->info = info;
  run->signal = signal;
  run->action = action;
  asm volatile(
      "movq %0, %%rsp\n\t"
      "jmpq *%1"
      :
      : "r"(run->frame), "r"(&run_handler), "D"(run)
      : "memory");
  __builtin_unreachable();
}

std::uintptr_t stack_pointer_of(const struct __jmp_buf_tag& target) noexcept {
  constexpr int kStackPointer = 6;  // of the words that glibc keeps
  auto mangled = static_cast<std::uintptr_t>(target.__jmpbuf[kStackPointer]);
  asm("rorq $0x11, %0\n\t"
      "xorq %%fs:0x30, %0"
      : "+r"(mangled));
  return mangled;
}

const char* forget_runs_below(std::uintptr_t target) noexcept {
  StrandSignals& strand = strand_signals();
  const char* left = nullptr;
  const bool target_on_own = is_within(target, strand.stack);
  while (strand.innermost != nullptr) {
    const auto at = reinterpret_cast<std::uintptr_t>(strand.innermost);
    const bool run_on_own = is_within(at, strand.stack);
    if (run_on_own == target_on_own ? at > target : target_on_own) break;
    const char* const call = strand.innermost->interrupted_call;
    if (call != nullptr && call != Standing::kHandlerInsideMpi) left = call;
    set_innermost(strand, strand.innermost->outer);
  }
  return left;
}

}  // namespace heddle::process::signals
