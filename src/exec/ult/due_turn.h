// due_turn.h — a ult that a tick could not interrupt gives way by itself.
//
// A loop around a short function of ours is in its own code for so little of its time that ticks
// hardly ever find it there (preempt/time_slice.h). The same holds for a loop around system calls.
// So such a tick notes that a turn is due. Short functions that a program may call in a loop look
// at the note when they begin: there the ult is in its program still.
//
// Thread safety: the strand's own; written in its signal handler.

#pragma once

#include <cstdint>

#include "base/standing.h"

namespace heddle::ult {

inline bool turn_is_due() noexcept {
  return Standing::mine.turn_is_due;
}

// `caller` is an address in the code that has called the short function. The turn passes where that
// may not be interrupted (SchedulerOptions::is_program_code, Act::kBeInterrupted). May switch.
void take_due_turn(std::uintptr_t caller) noexcept;

}  // namespace heddle::ult
