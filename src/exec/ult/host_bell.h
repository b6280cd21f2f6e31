// host_bell.h — where a process sleeps whose work comes from other processes: at a bell that they
// ring.
//
//   thread A ── has nothing to run, polls, takes the bell ── sleeps at the bell
//                                                  ▲ another process rings: A polls
//   thread B ── has nothing to run, polls ── sleeps on its own word
//                                                  ▲ a thread of this process wakes it
//
// A thread is a worker, or a kernel thread that waits in MPI. One at a time has the bell
// (idle/bell_place.h). When it has what it waited for, it gives the bell back and nudges another
// sleeper (poller.h), which polls and takes it. So an event from outside always finds a thread, if
// any thread sleeps, and a process whose threads all wait uses no processor time.
//
// Thread safety: set once, before any thread waits for another process; cleared when no thread
// waits any more, and no worker runs.

#pragma once

#include <cstdint>

#include "base/platform/bell.h"

namespace heddle::ult {

// nullptr, as at the start: no other process has work for this one.
void set_host_bell(platform::Bell* bell) noexcept;

// While a thread sleeps there, without a deadline or with one that only asks: how often the bell
// had rung when it announced itself, and once. It says something only if it is the same in both
// looks of a Stillness that holds (stillness.h). 0: none sleeps there.
std::uint64_t rings_before_sleep() noexcept;

}  // namespace heddle::ult
