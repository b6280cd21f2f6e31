// abort.h — how a job ends before its time (MPI 5.0 §9.3 MPI_ERRORS_ARE_FATAL, §11.4 MPI_Abort).
//
// One OS process is the whole node, so ending it ends every rank. Processes that ranks have started are
// killed before, as launchers of processes do.

#pragma once

#include <string_view>

namespace heddle::runtime {

// Emits what the calling rank has printed and the parts of lines that mpiexec has of the others, prints
// one line ("rank 3: <sentence>"), and ends the job with exit status `status` (1 if it is 0 or does not
// fit a byte). Never returns. Where the output is not read, it is given up after some seconds
// (exec/crash/patience.h), and the line is printed.
[[noreturn]] void abort_job(int status, std::string_view sentence) noexcept;

}  // namespace heddle::runtime
