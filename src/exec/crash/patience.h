// patience.h — a job that ends waits for those who read its output, but not without end.
//
//   mpiexec … | less      a full pipe stays full until the reader turns the page
//
// A rank that prints may wait in write(2) with locks that all others need to print. So the wait has no
// limit of its own: a timer interrupts it.
//
// Thread safety: one thread of the process, the one that ends it.

#pragma once

namespace heddle::crash {

// From now on calls `late` whenever two seconds have passed in which nothing was written to where this
// thread wants to write, the standard output or error: in a signal handler, on the calling thread,
// wherever it waits. `late` goes on with the end of the process without what this thread was doing; it is
// called again where it waits itself.
void limit_patience(void (*late)()) noexcept;

// `late` is not called any more.
void release_patience() noexcept;

}  // namespace heddle::crash
