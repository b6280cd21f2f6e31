// fork.h — what this library does around a fork of the program, in order, and whether this process
// is a child.
//
// The child of a fork has one thread. It finds every lock as it was in the parent, whichever thread
// held it, and half of a change where a thread was at one. So each part of the library that keeps
// something may have three functions:
//
//   stage         runs in                          order             the part
//   ------------  -------------------------------  ----------------  ------------------------------
//   hold          the parent, before the fork      of ForkPart       takes its locks, so that what
//                                                                    they guard is whole
//   release       parent and child, after it       the other one     gives them back
//   become_child  the child, after all releases    the other one     makes it the state of a plain
//                                                                    process
//
// release and become_child go from the lowest layer up, so a part finds those below it ready. Only
// become_child changes what the caller is (ult::current(), its signals), so release sees what hold
// has seen.
//
//   the child is made by                               hold, release   become_child   is_child()
//   -------------------------------------------------  -------------   ------------   ----------
//   fork; vfork of a rank                              yes             yes            true
//   _Fork, syscall(SYS_clone …) and its kind           no              yes            true
//   the same in a library that ranks share (_Fork)     no              no             true
//   vfork, posix_spawn, clone(CLONE_VM): the memory    no              no             false
//   is the parent's until the exec
//
// A child that was made without hold may call only what is async-signal-safe, as POSIX has it. So
// become_child takes no lock.
//
//   I1  *host_process() is the id of the process that has the workers and ranks, and 0 in its
//       children. The kernel clears it (MADV_WIPEONFORK), so it is right before the first
//       instruction of the child.
//
// Thread safety: at_fork while the process has one thread (before main, best); the others any
// thread.

#pragma once

#include <sys/types.h>

#include "base/error.h"

namespace heddle {

// In the order in which they hold. One part may need those that come after it.
enum class ForkPart {
  kSignals,  // exec/process/signals: the kernel's actions and masks are the strand's again
  // exec/process/children: 0, 1 and 2 are what they were to the rank. A line that was begun is
  // emitted before.
  kStandard,
  kFileLocks,      // exec/process/files: the child has none
  kZone,           // exec/process/time: the process's zone follows TZ
  kImage,          // exec/process/children: the locks of libheddle_libc.so
  kDirectory,      // exec/process/files
  kProcessorTime,  // exec/process/time: the kernel counts it
  kWorkers,        // exec/ult: the caller is a kernel thread, and nothing runs other ults
  kCrashes,        // exec/crash: a crash ends the child alone
  kWaiters,        // exec/process/locks: no other thread waits
  kThreads,        // exec/process/threads: the caller is the only one
  kCount,
};

struct ForkStages {
  void (*hold)() = nullptr;
  void (*release)() = nullptr;
  // `of_host`: the parent had the ranks; else it was such a child itself, and much has been done.
  void (*become_child)(bool of_host) = nullptr;
};

// From now on each fork runs the stages. Returns true, so that it may initialise a constant.
bool at_fork(ForkPart part, const ForkStages& stages) noexcept;

// This process has workers and ranks from now on: it is no child, whatever it was.
Error become_host() noexcept;

// Runs the stages of the child, which was made without them.
void become_child() noexcept;

// Null before the first become_host().
const pid_t* host_process() noexcept;

// True in a process that was forked by one that had ranks, and in the children of that one.
bool is_child() noexcept;

}  // namespace heddle
