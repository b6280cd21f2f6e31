// host_bell.h — where a process sleeps whose work comes from other processes: at a bell that they ring.
//
//   kernel thread A ── waits, polls, takes the bell ── sleeps at the bell     ◄── another process rings: A polls
//   kernel thread B ── waits, polls ── sleeps on its own word                 ◄── a thread of this process wakes it
//
// One waiting kernel thread at a time has the bell. When it has what it waited for, it gives the bell back and nudges
// another sleeper (poller.h), which polls and takes it. So an event from outside always finds a thread, if
// any thread waits, and a process whose threads all wait uses no processor time.
//
// Workers (scheduler.h) do not sleep at it: a process that has them needs a thread that watches.
//
// Thread safety: set once, before any thread waits for another process; cleared when no thread waits any more.

#pragma once

#include "base/platform/bell.h"

namespace heddle::ult {

// nullptr, as at the start: no other process has work for this one.
void set_host_bell(platform::Bell* bell) noexcept;

}  // namespace heddle::ult
