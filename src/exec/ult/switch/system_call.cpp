#include "exec/ult/switch/system_call.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace heddle::ult {

namespace {

constexpr std::uintptr_t kInstructionBytes = 2;

// In rcx: the result is the program's to see. No address, so no return address.
constexpr greg_t kOfProgram = 0x68656464'6c652e32;
// In rcx: a call of make() was cut, and not by a handler of the program.
constexpr greg_t kCutByHost = 0x68656464'6c652e33;

constexpr unsigned char kFromRbx[] = {0x48, 0x89, 0xd8};  // how make() loads the number

bool is_instruction(std::uintptr_t at) noexcept {
  const auto* code = reinterpret_cast<const unsigned char*>(at);
  return code[0] == 0x0f && code[1] == 0x05;  // in this order: a page may end behind the first byte
}

// From the nearest `mov $number, %eax` before the instruction, or `xor %eax, %eax` (read is number
// 0) just before it. make() loads it from a register that stays.
long number_in_code(std::uintptr_t instruction, greg_t rbx) noexcept {
  constexpr unsigned char kZero[] = {0x31, 0xc0};
  constexpr unsigned char kLoad = 0xb8;
  constexpr std::uintptr_t kLoadBytes = 5;
  constexpr std::uintptr_t kFarthest = 32;
  constexpr std::uint32_t kMostCalls = 1024;
  const auto* code = reinterpret_cast<const unsigned char*>(instruction);
  if (std::memcmp(code - sizeof kFromRbx, kFromRbx, sizeof kFromRbx) == 0) return rbx;
  if (std::memcmp(code - sizeof kZero, kZero, sizeof kZero) == 0) return 0;
  for (std::uintptr_t back = kLoadBytes; back <= kFarthest; ++back) {
    if (*(code - back) != kLoad) continue;
    std::uint32_t number = 0;
    std::memcpy(&number, code - back + 1, sizeof number);
    if (number < kMostCalls) return static_cast<long>(number);
  }
  return SystemCall::kUnknown;
}

// How a call is told its duration: by which argument, and in which unit.
enum class Unit { kMilliseconds, kTimespec };
struct Duration {
  long number;
  int argument;
  Unit unit;
};
constexpr Duration kDurations[] = {
    {SYS_poll, 2, Unit::kMilliseconds},        {SYS_epoll_wait, 3, Unit::kMilliseconds},
    {SYS_epoll_pwait, 3, Unit::kMilliseconds}, {SYS_epoll_pwait2, 3, Unit::kTimespec},
    {SYS_semtimedop, 3, Unit::kTimespec},      {SYS_rt_sigtimedwait, 2, Unit::kTimespec},
    {SYS_nanosleep, 0, Unit::kTimespec},       {SYS_clock_nanosleep, 2, Unit::kTimespec},
    {SYS_futex, 3, Unit::kTimespec},
};

// These two take a time of a clock as well as a duration.
bool is_absolute(const SystemCall& call) noexcept {
  if (call.number == SYS_clock_nanosleep) return (call.arguments[1] & TIMER_ABSTIME) != 0;
  return call.number == SYS_futex && (call.arguments[1] & FUTEX_CMD_MASK) != FUTEX_WAIT;
}

const Duration* duration_of(const SystemCall& call) noexcept {
  for (const Duration& duration : kDurations) {
    if (duration.number == call.number && !is_absolute(call)) return &duration;
  }
  return nullptr;
}

// Calls that may wait and that the kernel repeats after a handler with SA_RESTART.
constexpr long kWaiting[] = {
    SYS_read,     SYS_readv,    SYS_write,    SYS_writev,   SYS_open,         SYS_openat,
    SYS_accept,   SYS_accept4,  SYS_connect,  SYS_flock,    SYS_wait4,        SYS_waitid,
    SYS_recvfrom, SYS_recvmsg,  SYS_recvmmsg, SYS_sendto,   SYS_sendmsg,      SYS_sendmmsg,
    SYS_splice,   SYS_vmsplice, SYS_tee,      SYS_sendfile, SYS_mq_timedsend, SYS_mq_timedreceive,
};

bool may_wait(const SystemCall& call) noexcept {
  const long operation = call.arguments[1];
  if (call.number == SYS_fcntl) return operation == F_SETLKW || operation == F_OFD_SETLKW;
  if (call.number == SYS_futex) {
    const long command = operation & FUTEX_CMD_MASK;
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  }
  return std::find(std::begin(kWaiting), std::end(kWaiting), call.number) != std::end(kWaiting);
}

}  // namespace

bool parse_system_call(const char* line, SystemCall* out) noexcept {
  unsigned long arguments[SystemCall::kArguments] = {};
  const int fields =
      std::sscanf(line, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &out->number, &arguments[0],
                  &arguments[1], &arguments[2], &arguments[3], &arguments[4], &arguments[5],
                  &out->stack_pointer, &out->return_address);
  std::memcpy(out->arguments, arguments, sizeof arguments);
  return fields == 9 && out->number >= 0;
}

Interrupted find_interrupted(const ucontext_t& context, const SystemCall* seen,
                             SystemCall* out) noexcept {
  const auto& registers = context.uc_mcontext.gregs;
  const auto counter = static_cast<std::uintptr_t>(registers[REG_RIP]);
  *out = {.number = SystemCall::kUnknown,
          .arguments = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                        registers[REG_R10], registers[REG_R8], registers[REG_R9]},
          .stack_pointer = static_cast<std::uintptr_t>(registers[REG_RSP]),
          .return_address = counter};
  if (registers[REG_RAX] == -EINTR && is_instruction(counter - kInstructionBytes)) {
    if (registers[REG_RCX] == kOfProgram) return Interrupted::kNot;
    if (seen != nullptr) {
      out->number = seen->number;
      if (*out == *seen) return Interrupted::kEnded;
    }
    out->number = number_in_code(counter - kInstructionBytes, registers[REG_RBX]);
    return Interrupted::kEnded;
  }
  if (registers[REG_RAX] > 0 && is_instruction(counter - kInstructionBytes) &&
      registers[REG_RCX] != kOfProgram) {
    out->number = seen != nullptr ? seen->number
                                  : number_in_code(counter - kInstructionBytes, registers[REG_RBX]);
    const bool is_it = seen == nullptr || *out == *seen;
    if (is_it && out->number != SystemCall::kUnknown) return Interrupted::kReturned;
  }
  if (!is_instruction(counter)) return Interrupted::kNot;
  out->number = registers[REG_RAX];
  out->return_address = counter + kInstructionBytes;
  return out->number >= 0 ? Interrupted::kBegun : Interrupted::kNot;
}

void repeat(ucontext_t& context, const SystemCall& call) noexcept {
  auto& registers = context.uc_mcontext.gregs;
  constexpr int kRegisters[SystemCall::kArguments] = {REG_RDI, REG_RSI, REG_RDX,
                                                      REG_R10, REG_R8,  REG_R9};
  registers[REG_RAX] = call.number;
  registers[REG_RIP] = static_cast<greg_t>(call.return_address - kInstructionBytes);
  for (int i = 0; i < SystemCall::kArguments; ++i) registers[kRegisters[i]] = call.arguments[i];
}

void leave_to_program(ucontext_t& context, bool restarts) noexcept {
  SystemCall call;
  const Interrupted how = find_interrupted(context, nullptr, &call);
  const bool ends = how == Interrupted::kBegun && !restarts && may_wait(call);
  if (how == Interrupted::kEnded || ends) set_result(context, call, -EINTR);
  if (how == Interrupted::kReturned) context.uc_mcontext.gregs[REG_RCX] = kOfProgram;
}

long result_of(const ucontext_t& context) noexcept {
  return context.uc_mcontext.gregs[REG_RAX];
}

bool tell_maker_of_cut(ucontext_t& context) noexcept {
  auto& registers = context.uc_mcontext.gregs;
  const auto* const behind = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (std::memcmp(behind - kInstructionBytes - sizeof kFromRbx, kFromRbx, sizeof kFromRbx) != 0) {
    return false;
  }
  registers[REG_RCX] = kCutByHost;
  return true;
}

void set_result(ucontext_t& context, const SystemCall& call, long result) noexcept {
  auto& registers = context.uc_mcontext.gregs;
  registers[REG_RAX] = result;
  registers[REG_RIP] = static_cast<greg_t>(call.return_address);
  registers[REG_RCX] = kOfProgram;
  registers[REG_R11] = registers[REG_EFL];
}

bool has_duration(const SystemCall& call) noexcept {
  const Duration* const duration = duration_of(call);
  if (duration == nullptr) return false;
  const long argument = call.arguments[duration->argument];
  return duration->unit == Unit::kMilliseconds ? static_cast<int>(argument) > 0 : argument != 0;
}

void shorten(SystemCall& call, std::int64_t waited_ns, timespec* left) noexcept {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::int64_t kMillisecond = 1'000'000;
  if (!has_duration(call)) return;
  const Duration& duration = *duration_of(call);
  long& argument = call.arguments[duration.argument];
  if (duration.unit == Unit::kMilliseconds) {
    argument = std::max<long>(0, static_cast<int>(argument) - waited_ns / kMillisecond);
    return;
  }
  *left = *reinterpret_cast<const timespec*>(argument);
  left->tv_sec -= waited_ns / kSecond;
  left->tv_nsec -= waited_ns % kSecond;
  if (left->tv_nsec < 0) {
    left->tv_nsec += kSecond;
    --left->tv_sec;
  }
  if (left->tv_sec < 0) *left = {};
  argument = reinterpret_cast<long>(left);
}

long make(const SystemCall& call, RanInCall* ran) noexcept {
  long result = 0;
  // Outputs, too: a repeated call may have others.
  long rdi = call.arguments[0], rsi = call.arguments[1], rdx = call.arguments[2];
  register long r10 asm("r10") = call.arguments[3];
  register long r8 asm("r8") = call.arguments[4];
  register long r9 asm("r9") = call.arguments[5];
  greg_t mark = 0;
  asm volatile("movq %%rbx, %%rax\n\tsyscall"
               : "=&a"(result), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+r"(r10), "+r"(r8), "+r"(r9),
                 "=&c"(mark)
               : "b"(call.number)
               : "r11", "memory");
  *ran = mark == kCutByHost   ? RanInCall::kOurs
         : mark == kOfProgram ? RanInCall::kPrograms
                              : RanInCall::kNothing;
  return result;
}

}  // namespace heddle::ult
