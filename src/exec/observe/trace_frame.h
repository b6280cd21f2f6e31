// trace_frame.h — what stands before and behind the events in the file of a trace (trace_file.h),
// and where the processes of a job put theirs: FILE.0, FILE.1 …, which mpiexec puts together and
// removes.
//
// Thread safety: constants.

#pragma once

#include <string>

namespace heddle::observe {

constexpr const char* kTraceOpening = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
// Each event ends with a comma, so the last one is of no interest.
constexpr const char* kTraceClosing =
    "{\"ph\":\"M\",\"pid\":1,\"name\":\"heddle_end\",\"args\":{}}]}\n";

inline std::string part_of_trace(const std::string& file, int process) {
  return file + "." + std::to_string(process);
}

}  // namespace heddle::observe
