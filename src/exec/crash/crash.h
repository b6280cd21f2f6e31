// crash.h — what the user reads when a rank crashes, and what Ctrl-C does.
//
//   rank 3 crashed: segmentation fault (SIGSEGV) at address 0x10, inside MPI_Send
//     0x00007f…  write_cell                heat.c:118
//     0x00007f…  main                      heat.c:201
//   The job ends: all its ranks share one process.
//
// After the report the processes that the ranks have started are killed. Then the process ends by
// the same signal, and all ranks with it. So the shell sees 128 + n, and the kernel writes a core
// file if that is switched on.
//
// The report runs on a signal stack of the kernel thread, in the TLS block of the strand that
// crashed. It prints the first line with snprintf and write, which allocate no memory. Then it
// prints what the ranks have printed into their streams; if no process reads that, it gives up
// after some seconds (patience.h). Then it looks up names, which allocates. If that hangs or
// crashes again, a timer or the kernel ends the process; the first line is printed by then.
//
// Thread safety: any kernel thread; install() once, before the first rank.

#pragma once

namespace heddle::crash {

// Takes over SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE and SIGXFSZ, and
// all signals that end a process by default, from SIGINT to the real-time ones, unless they are
// ignored (nohup). A child that a rank forks has the default actions again. Workers prepare their
// threads from now on.
//
// `may_say`, if it is given, is asked once, in a signal handler, before a process ends by a signal.
// False: another process of the job has said why it ends; then a signal from outside is not told
// again.
using MaySay = bool (*)() noexcept;
void install(MaySay may_say = nullptr) noexcept;

// Ends the process by a signal for which `rank` has no handler, with a sentence; -1: no rank's.
// Allowed in a signal handler.
[[noreturn]] void end_by_default(int signal, int rank) noexcept;

// Gives the calling kernel thread a signal stack, without which a stack overflow cannot be
// reported. For each worker and each thread of a rank.
void prepare_thread() noexcept;
void release_thread() noexcept;

}  // namespace heddle::crash
