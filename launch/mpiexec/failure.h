// failure.h — the exception that says why mpiexec does not start the job; main() prints the
// sentence and exits.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <string>
#include <utility>

namespace heddle::launch {

// The numbers that shells use.
enum ExitStatus : int {
  kStatusUsage = 2,
  kStatusNotExecutable = 126,
  kStatusNotFound = 127,
};

struct Failure {
  int status;
  std::string sentence;  // names the argument; no final newline
};

// What the kernel says of an error, with the user's limit behind it where that is what an error
// tells of.
std::string cause_of(int error);

[[noreturn]] inline void fail_usage(std::string sentence) {
  throw Failure{kStatusUsage, std::move(sentence)};
}

}  // namespace heddle::launch
