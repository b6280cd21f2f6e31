// frames.h — the call chain of the function that crashed.
//
//   found by                        entries              are
//   ------------------------------  -------------------  ----------------------------------------
//   the unwind tables               [first, exact)       calls under way, for certain
//   return addresses on the stack   [exact, count)       calls that were made; some may have
//                                                        returned
//
// The tables lead nowhere from an address that is no code, or if the stack has been overwritten.
// After a jump to a wild address they are asked once more, for the caller of the jump. The unwinder
// may crash on a damaged stack; what it had found until then stays.
//
// Thread safety: the thread that reports its crash, on its signal stack.

#pragma once

#include <ucontext.h>

#include <cstdint>

namespace heddle::crash {

constexpr int kMostFrames = 48;

struct Frames {
  std::uintptr_t
      at[kMostFrames];  // addresses inside the call instructions, so their line is that of the call
  int times[kMostFrames];  // a recursive function's frames are one entry
  int count = 0;
  int first = 0;  // the frame that crashed; the ones before it are this report's
  int exact = 0;

  void add(std::uintptr_t call) noexcept;  // unless there is no room
  bool has(std::uintptr_t call) const noexcept;
};

// `context` is what the signal has interrupted. It is changed, so the handler cannot return to it
// any more.
void find_frames(ucontext_t& context, Frames* frames) noexcept;

}  // namespace heddle::crash
