#include "launch/mpiexec/time_limit.h"

#include <algorithm>
#include <fstream>

#include "base/platform/clock.h"

namespace heddle::launch {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// What the kernel says of a process.
std::string state_of(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::string stat, where;
  std::getline(std::ifstream(folder + "/stat"), stat);
  std::getline(std::ifstream(folder + "/wchan"), where);
  const std::size_t name_end = stat.rfind(')');
  const char state = name_end + 2 < stat.size() ? stat[name_end + 2] : '?';
  const std::string of = " (process " + std::to_string(process) + ")";
  if (state == 'T' || state == 't') return " is stopped" + of;
  if (state != 'S' && state != 'D') return " runs" + of;
  return (where.empty() || where == "0" ? " waits outside of MPI" : " waits in " + where) + of;
}

}  // namespace

// A rank that is a process and computes does not answer. A process with many ranks asks each of
// them (src/runtime/judge/places.h).
TimeLimit::TimeLimit(const CommandLine& line, runtime::JobPage& page)
    : seconds_(line.longest_s), answer_s_(line.processes == 0 ? 2 : 15), page_(page) {
  page.deadline_ns = seconds_ != 0 ? platform::now_ns() + seconds_ * kSecond : 0;
}

int TimeLimit::pause_ms() const {
  constexpr std::int64_t kMillisecond = 1'000'000, kWhileTheyAnswer = 20, kMost = 1'000'000;
  if (seconds_ == 0) return -1;
  const std::int64_t left = (page_.deadline_ns - platform::now_ns()) / kMillisecond + 1;
  return static_cast<int>(std::clamp(left, kWhileTheyAnswer, kMost));
}

bool TimeLimit::is_over(std::span<const pid_t> processes) const {
  if (seconds_ == 0) return false;
  const std::int64_t late = platform::now_ns() - page_.deadline_ns;
  if (late < 0) return false;
  for (std::size_t i = 0; i < processes.size() && late < answer_s_ * kSecond; ++i) {
    if (processes[i] != 0 && page_.lines_of(static_cast<int>(i)).empty()) return false;
  }
  return true;
}

std::string TimeLimit::report(std::span<const pid_t> processes,
                              const std::function<std::string(int)>& name_of) const {
  std::string text = "the job has not ended after " + std::to_string(seconds_) +
                     " seconds (--timeout, MPIEXEC_TIMEOUT):";
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const int number = static_cast<int>(i);
    const std::string_view lines = page_.lines_of(number);
    if (!lines.empty()) {
      text += lines;
    } else {
      text += "\n  " + name_of(number);
      text += processes[i] != 0 ? state_of(processes[i]) : std::string(" has ended");
    }
  }
  return text;
}

}  // namespace heddle::launch
