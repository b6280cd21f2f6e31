// rank_over.h — where the strands of a rank learn that one of them has left the program, and the
// rank is over.
//
// The first strand to claim it ends the rank. The others stand still, at the next place where they
// wait, yield or sleep: what the end of a process does to its threads.
//
// A strand that loads code stands nowhere: it may hold the dynamic linker's lock. Nor does one in a
// section without switch (base/standing.h).
//
// Thread safety: any strand, about itself.

#pragma once

namespace heddle::process {

// True for a ult that may switch here, when another strand of its rank has left the program and
// ended the rank.
bool is_over() noexcept;

// True for the strand that has ended its rank, and for threads of the kernel after it: destructors
// may still run. Ults that they made would stand still.
bool ends_rank() noexcept;

// Does not return to a ult when another strand of its rank has left the program and ended the rank.
// Before and after each wait.
void stand_still_if_over() noexcept;
[[noreturn]] void stand_still() noexcept;

// Sets what a strand does before it stands still. Before the first rank.
void set_last_act(void (*act)() noexcept) noexcept;

// The calling strand leaves the program and ends the rank. Returns false if another strand has done
// so.
bool claim_end() noexcept;

// The worker on which a strand of the calling rank loads or unloads code, as far as that strand has
// asked here; -1: none. That strand keeps its worker, so threads that the rank makes meanwhile do
// not go there. One that was there before waits until the strand has loaded.
int worker_that_loads() noexcept;

// The calling strand leaves Standing::kLoading. It is in that state while it loads or unloads the
// image or a plugin: constructors run under the dynamic linker's lock, where a switch to another
// rank that needs the lock would never end. Other strands of the rank, also threads that a
// constructor has made, hold nothing and wait as usual. A strand that waits for the loader's turn
// (exec/image) lets others run by ult::yield itself, so it may be in the state already.
//
// Other threads of the rank may then have the strand's worker.
void end_loading() noexcept;

}  // namespace heddle::process
