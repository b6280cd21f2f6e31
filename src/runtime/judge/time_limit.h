// time_limit.h — mpiexec --timeout: a job that has not ended in time says where each of its ranks
// is, and ends with status 255.
//
//   the job has not ended after 60 seconds (--timeout, MPIEXEC_TIMEOUT):
//     rank 0 in MPI_Recv waits for a message from rank 1 with tag 7 (communicator 1), called by main (ring.c:12)
//     rank 1 runs, called by solve (ring.c:40)
//     rank 2 has ended
//
// A kernel thread of the process waits for the end of the time. Where mpiexec is the parent of the
// job's processes, it says what they have put into their Posts (job_page.h), and each process says
// it of its own ranks.
//
// Thread safety: once in a process, before its ranks end.

#pragma once

#include <vector>

namespace heddle::ult {
class Ult;
}

namespace heddle::runtime {

constexpr int kTimeOutStatus = 255;  // MPICH's

// Main strands of ranks with these numbers: those that are watched for a deadlock (deadlock.h).
void limit_time(int seconds, const std::vector<int>& numbers);

}  // namespace heddle::runtime
