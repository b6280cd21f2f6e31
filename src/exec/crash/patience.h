// patience.h — a job that ends waits for the readers of its output, but not forever.
//
//   mpiexec … | less      a full pipe stays full until the reader turns the page
//
// A rank that prints may wait in write(2) and hold locks that all others need to print. The thread
// that ends the job waits for these locks, and they know no time limit. So a timer's signal
// interrupts the wait.
//
// Thread safety: one thread of the process, the one that ends it.

#pragma once

namespace heddle::crash {

// From now on calls `late` whenever two seconds have passed in which nothing was written to
// standard output or error. Time in which the process was stopped does not count. `late` runs in a
// signal handler on the calling thread, wherever that waits. It must not return to what the thread
// was doing, and goes on with the end of the process. If it waits itself, it is called again.
void limit_patience(void (*late)()) noexcept;

// Ends this: `late` is called no more.
void release_patience() noexcept;

}  // namespace heddle::crash
