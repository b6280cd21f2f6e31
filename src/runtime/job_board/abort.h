// abort.h — how a job ends before its time (MPI 5.0 §9.3 MPI_ERRORS_ARE_FATAL, §11.4 MPI_Abort).
//
// One OS process is the whole node, so ending it ends every rank. Processes that ranks have started
// are killed before, as launchers of processes do.
//
// Thread safety: any thread; later calls wait until the first one has ended the process.

#pragma once

#include <string_view>

namespace heddle::runtime {

// Emits what all ranks have printed, prints one line ("rank 3: <sentence>"), and ends the job with
// exit status `status` (1 if it is 0 or does not fit a byte). Never returns. If no process reads
// the output, it is given up after some seconds (exec/crash/patience.h), and only the line is
// printed.
[[noreturn]] void abort_job(int status, std::string_view sentence) noexcept;

// Called once, before abort_job ends the process: it tells the other processes of the job and their
// launcher. Before any rank runs.
void set_teller_of_aborts(void (*tell)(int status)) noexcept;
// What abort_job then does, where why was said otherwise.
void tell_of_abort(int status) noexcept;

// Ends this process and its children, and says nothing.
[[noreturn]] void end_silently(int status) noexcept;

// A rank has ended with this status where the others cannot do without it: "<whose> ended with
// status … <where>".
[[noreturn]] void abort_without(const char* whose, int status, const char* where) noexcept;

}  // namespace heddle::runtime
