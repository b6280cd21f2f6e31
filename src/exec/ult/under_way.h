// under_way.h — work of ults that is looked after where no scheduler runs (lend.h). Elsewhere these
// functions do nothing.
//
// Thread safety: any strand.

#pragma once

namespace heddle::ult {

// Says that some work of ults is under way until work_ends(): it is looked after even while the
// program is not in MPI.
void work_begins() noexcept;
void work_ends() noexcept;

// Called on a kernel thread: runs the ults of the lent worker that are ready, until none is. True:
// some have run.
bool look_after_ults() noexcept;

}  // namespace heddle::ult
