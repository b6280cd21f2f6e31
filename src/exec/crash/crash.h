// crash.h — what the user reads when a rank crashes, and what Ctrl-C does.
//
//   rank 3 crashed: segmentation fault (SIGSEGV) at address 0x10, inside MPI_Send
//     0x00007f…  write_cell                heat.c:118
//     0x00007f…  main                      heat.c:201
//   The job ends: all its ranks share one process.
//
// All ranks of a host die with the process, and before them the processes that they have started. It ends by the same signal, so the shell sees 128 + n
// and a core file is written where that is switched on.
//
// The report runs on a signal stack of the kernel thread, in the TLS block of the strand that
// crashed. Where no process reads what the ranks have printed, it does without that after some seconds
// (patience.h). It says the first line with snprintf and write, which allocate nothing for it; then it
// looks for names, which allocates memory. Where that hangs or crashes again, a timer or the kernel
// ends the process with the first line said.
//
// Thread safety: any kernel thread; install() once, before the first rank.

#pragma once

namespace heddle::crash {

// Takes over SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE and SIGXFSZ, and
// SIGINT, SIGTERM, SIGQUIT and SIGXCPU, unless they are ignored (nohup). A child that a rank forks has the default actions back.
void install() noexcept;

// A signal has come for which its rank has no handler: says so, and ends the process by it. In handlers,
// too.
[[noreturn]] void end_by_default(int signal) noexcept;

// Gives the calling kernel thread a signal stack, without which a stack overflow cannot be
// reported. For each worker (ult::WorkerHooks) and each thread of a rank.
void prepare_thread() noexcept;
void release_thread() noexcept;

}  // namespace heddle::crash
