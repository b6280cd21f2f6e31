// A system call that was interrupted is recognized, and made again.

#include "exec/ult/switch/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/platform/clock.h"

namespace heddle::ult {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(SystemCall, IsReadFromWhatTheKernelSaysOfAThread) {
  SystemCall call;
  EXPECT_TRUE(parse_system_call("7 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffc0 0x7fb30\n", &call));
  EXPECT_EQ(call.number, 7);
  EXPECT_EQ(call.arguments[0], 1);
  EXPECT_EQ(call.arguments[5], 6);
  EXPECT_EQ(call.stack_pointer, 0x7ffc0U);
  EXPECT_EQ(call.return_address, 0x7fb30U);
  EXPECT_TRUE(parse_system_call("1 0xffffffffffffffff 0 0 0 0 0 0x1 0x2", &call));
  EXPECT_EQ(call.arguments[0], -1);
  EXPECT_FALSE(parse_system_call("running\n", &call));
  EXPECT_FALSE(parse_system_call("-1 0x7ffc0 0x7fb30\n", &call));
  EXPECT_FALSE(parse_system_call("", &call));
}

TEST(SystemCall, HasLessOfItsDurationLeft) {
  timespec left = {};
  SystemCall call{.number = SYS_poll, .arguments = {0, 0, 100}};
  shorten(call, 30 * kMillisecond, &left);
  EXPECT_EQ(call.arguments[2], 70);
  shorten(call, 80 * kMillisecond, &left);
  EXPECT_EQ(call.arguments[2], 0);
  call.arguments[2] = static_cast<unsigned>(-1);  // as a wrapper leaves an int in a register
  shorten(call, 80 * kMillisecond, &left);
  EXPECT_EQ(static_cast<int>(call.arguments[2]), -1);

  const timespec duration = {2, 100'000'000};
  call = {.number = SYS_semtimedop, .arguments = {0, 0, 0, reinterpret_cast<long>(&duration)}};
  shorten(call, 200 * kMillisecond, &left);
  EXPECT_EQ(call.arguments[3], reinterpret_cast<long>(&left));
  EXPECT_EQ(left.tv_sec, 1);
  EXPECT_EQ(left.tv_nsec, 900'000'000);
  EXPECT_EQ(duration.tv_sec, 2);
  shorten(call, 5000 * kMillisecond, &left);
  EXPECT_EQ(left.tv_sec, 0);
  EXPECT_EQ(left.tv_nsec, 0);
}

TEST(SystemCall, KeepsATimeOfAClock) {
  timespec left = {};
  const timespec time = {1000, 0};
  const long at = reinterpret_cast<long>(&time);
  SystemCall sleep{.number = SYS_clock_nanosleep, .arguments = {0, TIMER_ABSTIME, at}};
  shorten(sleep, kMillisecond, &left);
  EXPECT_EQ(sleep.arguments[2], at);
  SystemCall wait{.number = SYS_futex,
                  .arguments = {0, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, at}};
  shorten(wait, kMillisecond, &left);
  EXPECT_EQ(wait.arguments[3], at);
  SystemCall other{.number = SYS_ppoll, .arguments = {0, 0, at}};  // the kernel notes what is left
  shorten(other, kMillisecond, &left);
  EXPECT_EQ(other.arguments[2], at);
}

TEST(SystemCall, IsMadeWithAllItsArguments) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  char byte = 'x';
  SystemCall call{.number = SYS_write, .arguments = {ends[1], reinterpret_cast<long>(&byte), 1}};
  RanInCall ran = RanInCall::kOurs;
  EXPECT_EQ(make(call, &ran), 1);
  EXPECT_EQ(ran, RanInCall::kNothing);
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  call.arguments[0] = -1;
  EXPECT_EQ(make(call, &ran), -EBADF);
  close(ends[0]);
  close(ends[1]);
}

// The numbers of calls that the kernel does not repeat, from the code of libc's wrappers.
ucontext_t found;
void note_context(int, siginfo_t*, void* context) {
  found = *static_cast<ucontext_t*>(context);
}

// Runs call(), which a signal interrupts soon, and leaves its context in `found`.
template <class Call>
void interrupt(Call call) {
  struct sigaction action = {};
  action.sa_sigaction = note_context;
  action.sa_flags = SA_SIGINFO;
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerspec soon = {{}, {0, 2 * kMillisecond}};
  timer_t timer = {};
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, nullptr, &timer), 0);
  ASSERT_EQ(timer_settime(timer, 0, &soon, nullptr), 0);
  call();
  timer_delete(timer);
  sigaction(SIGALRM, &before, nullptr);
}

#if !defined(__SANITIZE_THREAD__)  // runs handlers only in calls of libc that it knows
TEST(SystemCall, IsFoundInMake) {
  interrupt([] {
    RanInCall ran = RanInCall::kOurs;
    EXPECT_EQ(make({.number = SYS_poll, .arguments = {0, 0, 60'000}}, &ran), -EINTR);
    EXPECT_EQ(ran, RanInCall::kNothing);
  });
  SystemCall made;
  EXPECT_EQ(find_interrupted(found, nullptr, &made), Interrupted::kEnded);
  EXPECT_EQ(made.number, SYS_poll);
}
#endif

TEST(SystemCall, IsFoundInTheCodeThatMadeIt) {
  interrupt([] {
    EXPECT_EQ(poll(nullptr, 0, 60'000), -1);
    EXPECT_EQ(errno, EINTR);
  });
  SystemCall call;
  EXPECT_EQ(find_interrupted(found, nullptr, &call), Interrupted::kEnded);
  EXPECT_EQ(call.number, SYS_poll);
  EXPECT_EQ(call.arguments[1], 0);
  EXPECT_EQ(static_cast<int>(call.arguments[2]), 60'000);
  const SystemCall same = call;
  EXPECT_EQ(find_interrupted(found, &same, &call), Interrupted::kEnded);
  EXPECT_EQ(call, same);

  ucontext_t told = found;
  leave_to_program(told, true);
  EXPECT_EQ(find_interrupted(told, nullptr, &call), Interrupted::kNot);
  EXPECT_EQ(find_interrupted(told, &same, &call), Interrupted::kNot);
  EXPECT_EQ(told.uc_mcontext.gregs[REG_RIP], found.uc_mcontext.gregs[REG_RIP]);
  EXPECT_EQ(told.uc_mcontext.gregs[REG_RAX], -EINTR);
  repeat(told, same);
  EXPECT_EQ(find_interrupted(told, nullptr, &call), Interrupted::kBegun);
  set_result(told, same, -EINTR);
  EXPECT_EQ(find_interrupted(told, nullptr, &call), Interrupted::kNot);
}

TEST(SystemCall, IsFoundInAReadOfASocketWithATime) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const timeval long_time = {60, 0};
  ASSERT_EQ(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time), 0);
  char byte = 0;
  interrupt([&] {
    EXPECT_EQ(read(ends[0], &byte, 1), -1);
    EXPECT_EQ(errno, EINTR);
  });
  SystemCall call;
  EXPECT_EQ(find_interrupted(found, nullptr, &call), Interrupted::kEnded);
  EXPECT_EQ(call.number, SYS_read);
  EXPECT_EQ(call.arguments[0], ends[0]);
  close(ends[0]);
  close(ends[1]);
}

// What becomes of a call that the kernel would repeat, after a handler of the program.
TEST(SystemCall, EndsIfItMayWaitAndTheHandlerDoesNotRestart) {
  constexpr struct {
    long number, second_argument;
    bool restarts, ends;
  } kCalls[] = {
      {SYS_read, 0, false, true},
      {SYS_read, 0, true, false},
      {SYS_wait4, 0, false, true},
      {SYS_fcntl, F_SETLKW, false, true},
      {SYS_fcntl, F_GETFL, false, false},
      {SYS_futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, false, true},
      {SYS_futex, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, false, false},
      {SYS_getpid, 0, false, false},
      {SYS_clone, 0, false, false},
  };
  constexpr unsigned char kCode[] = {0x90, 0x90, 0x0f, 0x05};  // what stands before is read, too
  const unsigned char* const instruction = kCode + 2;
  for (const auto& wanted : kCalls) {
    ucontext_t context = {};
    auto& registers = context.uc_mcontext.gregs;
    registers[REG_RIP] = reinterpret_cast<greg_t>(instruction);
    registers[REG_RAX] = wanted.number;
    registers[REG_RSI] = wanted.second_argument;
    leave_to_program(context, wanted.restarts);
    EXPECT_EQ(registers[REG_RAX], wanted.ends ? -EINTR : wanted.number);
    EXPECT_EQ(registers[REG_RIP] - reinterpret_cast<greg_t>(instruction), wanted.ends ? 2 : 0);
  }
}

TEST(SystemCall, IsRepeatedWithOtherArguments) {
  ucontext_t context = found;
  SystemCall call;
  ASSERT_EQ(find_interrupted(context, nullptr, &call), Interrupted::kEnded);
  call.arguments[2] = 7;
  repeat(context, call);
  SystemCall again;
  EXPECT_EQ(find_interrupted(context, nullptr, &again), Interrupted::kBegun);
  EXPECT_EQ(again, call);
}

}  // namespace
}  // namespace heddle::ult
