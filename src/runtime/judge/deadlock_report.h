// deadlock_report.h — what a job that waits forever says: a line for each strand that waits, with
// the place of its call in the program, and what waits at each rank to be matched.
//
//   all ranks of the job wait for each other (deadlock; communicator 1 is MPI_COMM_WORLD):
//     rank 0 in MPI_Recv waits for a message from rank 1 with tag 7 (communicator 1), called by main (ring.c:12)
//       thread 1 in pthread_mutex_lock waits for the lock at 0x7f31c8000010, called by work (ring.c:31)
//       posted receives (1): from rank 1 with tag 7 (communicator 1)
//       unexpected messages (2): 4 bytes from rank 1 with tag 8 (communicator 1), 64 bytes from rank 2 with tag 0 (communicator 1)
//
// A strand finds its place by itself: it is alerted (exec/ult/alert.h), unwinds its own stack as
// far as the program's code, and stands still until the job ends. A strand that does not answer in
// time has a line without a place. Of more than 64 ranks those are shown that wait for what the
// fewest others wait for: most often these are the cause.
//
// Thread safety: one thread, when the proof is complete (deadlock.h).

#pragma once

#include <string>
#include <vector>

namespace heddle::ult {
class Ult;
}

namespace heddle::runtime {

class Hosts;

// The first line; and those of these main strands, null where one has ended, of ranks with these
// numbers, and of all others that wait.
extern const char kDeadlock[];
std::string lines_of_deadlock(const std::vector<ult::Ult*>& mains, const std::vector<int>& numbers,
                              Hosts& hosts);

}  // namespace heddle::runtime
