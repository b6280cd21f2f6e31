// transfer.h — a system call that has moved a part of its bytes because a signal has come, and is
// to move the rest (x86_64).
//
// The kernel ends a call that waits in the midst of its bytes with the part that it has moved by
// then (write to a pipe, send, recv with MSG_WAITALL, sendfile …), whatever SA_RESTART says. Where
// the signal was none of the program's, the program must not see that. Such a call is found in the
// handler, at the instruction behind it, with its arguments still in the registers:
//
//   the call was made                               and then
//   ----------------------------------------------  -----------------------------------------------
//   by the program or libc                          the scheduler's handler makes the rest, on the
//                                                   program's stack, on the worker or away; another
//                                                   handler sends its thread the scheduler's
//                                                   signal, which comes when it returns
//   by make_whole() itself                          it is told by a mark (RanInCall), and goes on;
//                                                   so it does where no handler has run at all and
//                                                   the descriptor takes more
//
// A call that has moved all it was asked for, or moves no bytes, is none of these. Nor is one whose
// part is what it would give without a signal: read, recv without MSG_WAITALL, splice. A descriptor
// with O_NONBLOCK, or a flag that says the same, ends the rest at once.
//
// Thread safety: none needed; everything is about the caller's own context.

#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include "exec/ult/switch/system_call.h"

namespace heddle::ult {

// Does what find_interrupted() does, but says kReturned only if the call is to move more.
Interrupted find_interrupted_call(const ucontext_t& context, const SystemCall* seen,
                                  SystemCall* out) noexcept;

// The next part of a call that has moved `done`: bytes, or messages of sendmmsg and recvmmsg.
class NextPart {
 public:
  NextPart() = default;
  NextPart(NextPart&&) = delete;

  // False: there is none. `call` must be as the program has made it.
  bool find(const SystemCall& call, long done) noexcept;

  const SystemCall& call() const noexcept { return next_; }
  long length() const noexcept { return length_; }
  // What of the whole call is done after the part has moved `moved`.
  long add(long moved) noexcept;

 private:
  bool find_bytes(int address, int size, long done) noexcept;
  bool find_vector(int address, int count, long done) noexcept;
  bool find_message(const msghdr& whole, long done) noexcept;
  bool find_messages(long done) noexcept;

  SystemCall next_;
  long length_ = 0;
  long done_ = 0;
  unsigned* rest_of_message_ =
      nullptr;  // where the bytes of a message are counted that was sent in part
  iovec bytes_{};
  msghdr message_{};
};

// Moves the rest of a call that has moved `done`, and returns the call's result.
long make_rest(const SystemCall& call, long done) noexcept;

// Makes the call, and moves all that it is asked for unless a handler of the program interrupts it.
// As make().
long make_whole(const SystemCall& call) noexcept;

}  // namespace heddle::ult
