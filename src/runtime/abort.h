// abort.h — how a job ends before its time (MPI 5.0 §9.3 MPI_ERRORS_ARE_FATAL, §11.4 MPI_Abort).
//
// One OS process is the whole node, so ending it ends every rank. Processes that ranks have started
// are killed before, as launchers of processes do.
//
// Thread safety: any thread; later calls wait until the first one has ended the process.

#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

// Emits what all ranks have printed, prints one line ("rank 3: <sentence>"), and ends the job with
// exit status `status` (1 if it is 0 or does not fit a byte). Never returns. If no process reads
// the output, it is given up after some seconds (exec/crash/patience.h), and only the line is
// printed.
[[noreturn]] void abort_job(int status, std::string_view sentence) noexcept;

// Another process of the job is lost, or has ended the job with this status. An empty sentence:
// another process has said why. Then the launcher is given time to end this one.
void abort_for_others(int status, const std::string& sentence) noexcept;

// A rank has ended with this status where the others cannot do without it: "<whose> ended with
// status … <where>".
[[noreturn]] void abort_without(const char* whose, int status, const char* where) noexcept;
constexpr const char* kUninitialized = "before it called MPI_Init";
constexpr const char* kUnfinalized = "without calling MPI_Finalize";
constexpr const char* kSessionOpen = "without calling MPI_Session_finalize";

}  // namespace heddle::runtime
