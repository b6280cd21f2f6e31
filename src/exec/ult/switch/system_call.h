// system_call.h — the system call that a signal has interrupted (x86_64).
//
// The kernel leaves a call that waits when a signal comes, runs the handler, and then:
//
//   kind of call                      what the handler finds                    the program sees
//   --------------------------------  ----------------------------------------  -------------------
//   restarted (read, flock, wait4 …)  rax the number, rip at the instruction    nothing: it goes on
//   not restarted (poll, msgrcv …)    rax -EINTR, rip behind the instruction    EINTR
//   has moved a part of its bytes     rax the part, rip behind the instruction  the part
//                                                                               (transfer.h)
//
// A read or write of a socket with a time of its own (SO_RCVTIMEO, SO_SNDTIMEO) is of the second
// kind.
//
// A signal of the scheduler's own is nothing that the program may see. So calls of the second kind
// are repeated here. Their number is no longer in a register: it is the one that the code before
// the instruction loads, `mov $number, %eax` in the wrappers of libc (`xor %eax, %eax` for read,
// `mov %rbx, %rax` in make), or a watcher has read it from /proc while the call waited. Where
// neither is known, the program sees EINTR.
//
// EINTR is the program's own where a handler of its own has run in the call, and so is a part. That
// is marked in rcx, which the instruction has overwritten anyway, so the mark is gone with the next
// call (leave_to_program, set_result).
//
// A call of the first kind looks like a call that is about to begin. The two need not be told
// apart: where the handler's action is to end calls, both end with EINTR if the call is one that
// may wait. The kernel's own action always has SA_RESTART, since it is one for all ranks, so ending
// a call is up to leave_to_program.
//
// Thread safety: none needed; everything is about the caller's own context.

#pragma once

#include <ucontext.h>

#include <cstdint>
#include <ctime>

namespace heddle::ult {

struct SystemCall {
  static constexpr int kArguments = 6;
  static constexpr long kUnknown = -1;

  long number = kUnknown;
  long arguments[kArguments] = {};
  std::uintptr_t stack_pointer = 0;
  std::uintptr_t return_address = 0;  // behind the instruction

  bool operator==(const SystemCall&) const = default;
};

// Reads one line of /proc/PID/task/TID/syscall. Returns false if the thread is in no system call.
bool parse_system_call(const char* line, SystemCall* out) noexcept;

enum class Interrupted {
  kNot,       // in no system call
  kBegun,     // the kernel repeats it, or it is just about to begin
  kEnded,     // with EINTR, which is not the program's
  kReturned,  // just now a result above 0, and no handler of the program has run in it
};

// `seen` is what a watcher has read of this thread, or nullptr. out->number may be kUnknown, but
// not of kReturned.
Interrupted find_interrupted(const ucontext_t& context, const SystemCall* seen,
                             SystemCall* out) noexcept;

// Makes the handler return to the beginning of the call, with these arguments. Requires a known
// number.
void repeat(ucontext_t& context, const SystemCall& call) noexcept;

// What a call has returned.
long result_of(const ucontext_t& context) noexcept;

// A call has moved a part of its bytes, and no handler of the program has run: if make() has made
// it, tells it so. False: another function has made the call.
bool tell_maker_of_cut(ucontext_t& context) noexcept;

// A handler of the program has run in the call. If the call has ended with EINTR or a part, that is
// the program's to see. If the kernel would repeat it, it ends with EINTR unless `restarts`.
void leave_to_program(ucontext_t& context, bool restarts) noexcept;

// The handler returns to where the call has just returned `result`, which is the program's.
void set_result(ucontext_t& context, const SystemCall& call, long result) noexcept;

// True if the call is told how long to wait, so that a repeated one would wait anew.
bool has_duration(const SystemCall& call) noexcept;

// Shortens the timeout of a call that has already waited for `waited_ns`. The rest is written to
// `left`, which must live until the call is made. Calls for which the kernel itself notes the rest
// stay as they are.
void shorten(SystemCall& call, std::int64_t waited_ns, timespec* left) noexcept;

// What has run in a call of make() that has returned a result above 0.
enum class RanInCall {
  kNothing,
  kOurs,      // a signal that was none of the program's
  kPrograms,  // a handler of the program
};

// Makes the call on this kernel thread. Returns the kernel's result: -errno for an error.
long make(const SystemCall& call, RanInCall* ran) noexcept;

}  // namespace heddle::ult
