// watch.h — an observer of the workers hears which ult runs, when a worker has nothing to run, and
// when a strand waits for other ranks.
//
//   runs(worker)          the calling ult runs there from now on; on no ult: the worker is about to
//                         look for one
//   idles(worker, true)   the worker has no ult to run; it spins, polls or sleeps
//   idles(worker, false)  it has one
//   waits(true)           the calling strand begins a wait that only other strands end (NotedWait,
//                         stillness.h)
//   waits(false)          that wait is over
//
// Both of a pair are called on the same worker (idles), or by the same strand (waits). Without a
// watch each of these places tests one word, switches apart, which call it as they call the resume
// hook; none of them is on the way of a message that need not wait.
//
// Thread safety: set_watch before start(), or by a process that has no workers; the functions of a
// watch any worker at once.

#pragma once

namespace heddle::ult {

struct Watch {
  void (*runs)(int worker) noexcept;
  void (*idles)(int worker, bool begins) noexcept;
  void (*waits)(bool begins) noexcept;
};

// It stays for good.
void set_watch(const Watch& watch) noexcept;

}  // namespace heddle::ult
