// frames.h — which functions had called the one that crashed.
//
//   found by                        entries              are
//   ------------------------------  -------------------  ----------------------------------------
//   the unwind tables               [first, exact)       what has been called
//   return addresses on the stack   [exact, count)       what may have been called: some calls may
//                                                        be over
//
// The tables lead nowhere from an address that is no code, and from a stack that has been overwritten.
// After a jump to a wild address they are asked once more, for its caller. The unwinder may crash on a
// damaged stack; what it had found until then stays.
//
// Thread safety: the thread that reports its crash, on its signal stack.

#pragma once

#include <ucontext.h>

#include <cstdint>

namespace heddle::crash {

constexpr int kMostFrames = 48;

struct Frames {
  std::uintptr_t at[kMostFrames];  // inside of the calls, so a line's number is the call's
  int times[kMostFrames];          // a recursive function's frames are one entry
  int count = 0;
  int first = 0;  // the frame that crashed; the ones before it are this report's
  int exact = 0;

  void add(std::uintptr_t call) noexcept;  // unless there is no room
  bool has(std::uintptr_t call) const noexcept;
};

// `context` is what the signal has interrupted; it can be returned to no more.
void find_frames(ucontext_t& context, Frames* frames) noexcept;

}  // namespace heddle::crash
