// move.h — a ult goes on on another worker.
//
//   move(ult, w) ──► its worker's inbox: noted
//                ──► its next turn: popped from the run queue, in no list or timer
//                ──► inbox of w ──► ready there
//
// A ult that waits has no load, and stays where it is until it would run. A ult that runs stays
// until it next waits, yields or is interrupted by its time slice. What knows the ult by its worker
// (event.h) finds it elsewhere from its next turn on, and nothing is updated at the move. How
// wake-ups find it: run/ult_record.h.
//
// Debug builds with a yield seed move ults at random (SchedulerOptions::forced_moves).
//
// Thread safety: any thread, while the ult lives and has not begun to end.

#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::ult {

class Ult;

// Never switches, never blocks. If it is told several times before it moves, it goes to the last
// worker named.
void move(Ult& ult, int worker) noexcept;

// Whole pages: its stack, its TLS block, and what libc and the scheduler keep of it. They stay
// where they are.
struct UltMemory {
  void* low;
  std::size_t bytes;
};
UltMemory memory_of(const Ult& ult) noexcept;

}  // namespace heddle::ult
