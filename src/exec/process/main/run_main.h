// run_main.h — the frame from which a rank's main is called and to which exit() returns.
//
//   how main ended        what ran                                        Ending
//   --------------------  ----------------------------------------------  ----------
//   returned              as exit                                         kReturned
//   exit                  thread_local destructors of the caller,         kExit
//                         atexit handlers and static destructors, flush
//   quick_exit            handlers of at_quick_exit                       kQuickExit
//   _exit, _Exit          nothing                                         kImmediate
//   abort, a signal       nothing: the whole job ends (exec/crash)        -
//
// In a child that the rank has forked all of these end the child (children.h).
//
// After kQuickExit and kImmediate the image's destructor functions must not run
// (runs_destructors()).
//
// exit() jumps over the program's frames without unwinding them, as the C++ standard wants:
// automatic objects are not destroyed. The jump stays on the rank's own stack.
//
// Another thread of the rank that calls exit() cannot make the main strand jump. It does what exit
// does, ends the rank (set_rank_ender, host_hooks.h) and stands still; so do the main strand and
// all other threads of the rank at the next place where they wait, or when they call exit. The
// image stays loaded.
//
// In constructors and destructors of the image or of a plugin there is no frame to jump to, and the
// strand may hold the loader's locks. There exit() ends the whole job.
//
// Thread safety: each function on the rank's main strand, with Rank::current() set, except those
// that say otherwise.

#pragma once

#include "base/error.h"
#include "exec/process/exit/ending.h"

namespace heddle::process {

struct RankSetup {
  char* const* environment = nullptr;       // added to the process's own; nullptr: nothing
  const char* working_directory = nullptr;  // nullptr: the process's own
  const char* program = nullptr;            // its file: absolute, without symbolic links
  int argc = 0;                             // at least one
  char* const* argv = nullptr;              // like `program` they stay until the process ends
  bool has_input = false;                   // reads the process's standard input; others read EOF
  int ranks = 1;       // of its job; where it is 1, exec may replace the process
  int ranks_here = 1;  // of them, in this process; the most of any process of the job
};

// Call it before the rank's program is loaded: its constructors already use streams and variables.
Error begin_rank(const RankSetup& setup);

// Called after the program has been loaded: fails if its libheddle_libc.so is of another build than
// the host.
Error check_library();

struct Program {
  int (*main)(int argc, char** argv, char** environment) = nullptr;
  int argc = 0;
  char** argv = nullptr;
};

// Calls main and returns when the program has ended. May switch.
Result run_main(const Program& program);

// exit(status) of the calling rank, from its main strand; in a child of fork, from the strand that
// has forked.
[[noreturn]] void exit_current_rank(int status);

// Called by any strand. The first call in a thread of a rank gives it the rank's working directory.
void adopt_thread() noexcept;
// The last call of the same thread.
void leave_thread() noexcept;

// After the program's destructors: emits what is left and closes descriptors of the rank's own for
// 0, 1 and 2. `goes_on`: its code may still run (threads, destructors when the process ends), so it
// keeps the descriptors, but what it prints is lost.
void end_rank(bool goes_on) noexcept;

}  // namespace heddle::process
