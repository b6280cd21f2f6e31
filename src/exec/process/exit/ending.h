// ending.h — how the program of a rank ended (run_main.h).

#pragma once

namespace heddle::process {

enum class Ending { kReturned, kExit, kQuickExit, kImmediate };

struct Result {
  int status = 0;  // 0 to 255, as the shell would see it
  Ending ending = Ending::kReturned;
};

constexpr bool runs_destructors(Ending ending) noexcept {
  return ending == Ending::kReturned || ending == Ending::kExit;
}

}  // namespace heddle::process
