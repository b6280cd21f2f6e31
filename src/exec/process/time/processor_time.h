// processor_time.h — the processor time of a rank: what clock() and its kin give.
//
//   time of a rank = its share at the start of metering
//                  + what workers have spent on its ults since then (ult/processor_time.h)
//                  + what its kernel threads have used since then, ended ones too
//
// Metering begins when a rank of the job first asks. The process's time up to then is shared out
// evenly, because it is not known which rank used it. From then on all ranks together have the
// process's time minus what workers and other threads of the library use for no rank.
//
// A rank that is alone in its job has the process's time, as libc gives it. A thread that is a ult
// has its own time since the start of metering; a kernel thread has what libc gives it.
//
// HPL's detailed timing needs it: it prints the time of each phase for each rank
// (HPL_ptimer_cputime).
//
// Thread safety: any strand, also in handlers of the program.

#pragma once

#include <cstdint>

namespace heddle::process {

struct RankState;

// The calling strand begins or ends as one of its rank's (Rank::current()). `state` is that rank's;
// nullptr: it has no program of its own, and only its load is counted (load.h).
void begin_processor_time(RankState* state) noexcept;
void end_processor_time() noexcept;

// The time in nanoseconds, of the calling strand's rank, and of the strand itself. -1: the caller
// must ask libc.
std::int64_t processor_time_of_rank() noexcept;
std::int64_t processor_time_of_strand() noexcept;

}  // namespace heddle::process
