// left_elsewhere.h — ranks of other hosts that have ended with status 0 without MPI_Finalize
// (decision 75), in a job whose hosts do not share the board: does a rank of this host wait for
// them?
//
//   another host      this one
//   its rank left ──► it is noted on the board: no rank may come to MPI_Finalize any more. A thread
//                     looks, with pauses: it ends the job once all ranks have used no processor time
//                     for half a minute and one is inside MPI
//
// Thread safety: any thread, also before the job runs.

#pragma once

namespace heddle::runtime {

// A rank of another host has left.
void hear_of_left_elsewhere() noexcept;

}  // namespace heddle::runtime
