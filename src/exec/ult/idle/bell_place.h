// bell_place.h — the place at the host's bell (host_bell.h), which one thread at a time has: a
// kernel thread that waits, or a worker.
//
//   has nothing to do ── lists itself as a sleeper ── takes the place ── bell.begin()
//   ── looks everywhere ── sleeps ── leaves the list ── gives the place back: another sleeper is
//   nudged, looks everywhere, and takes it
//
// A sleeper that was nudged may have been woken for something else at the same time. If it does not
// sleep again, it nudges another one in its place; the place would stay free while others sleep
// (models/stand_in.pml, NO_PASSING_ON).
//
// seq_cst: a thread that has found the place taken is listed, and so nudged; or it is listed later,
// and finds it free.
//
// Thread safety: any thread.

#pragma once

#include <cstdint>

#include "base/platform/bell.h"

namespace heddle::ult {

// Null if there is no bell, or another thread has it.
platform::Bell* take_bell() noexcept;
// Called by the thread that has it, when it is no longer listed.
void give_bell_back() noexcept;

// Called by the thread that has it and sleeps without a deadline, after its last look. A worker
// does so before it shows that it sleeps.
void note_rings_before_sleep(std::uint32_t rings) noexcept;
void forget_rings_before_sleep() noexcept;  // when it no longer sleeps
// The bell that a thread of this process rings to wake the one that sleeps there. Null only when no
// thread waits any more.
platform::Bell* host_bell() noexcept;

}  // namespace heddle::ult
