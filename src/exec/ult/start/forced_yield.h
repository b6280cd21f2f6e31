// forced_yield.h — seeded random yields at schedule points, so that debug builds explore schedules.
//
// Which points yield depends on the seed and on how many points the strand has passed, so a failing
// run of one worker repeats with its seed; with several workers it becomes likely, no more. Where
// the strand may not switch, because it holds a SpinLock or polls, its worker lingers instead. With
// `moves`, a ult now and then moves to a random worker at its next turn.
//
// Thread safety: force_yields while no ult runs.

#pragma once

#include <cstdint>

namespace heddle::ult {

// 0: never. Nothing in builds without HEDDLE_FORCED_YIELDS.
void force_yields(std::uint64_t seed, bool moves) noexcept;

}  // namespace heddle::ult
