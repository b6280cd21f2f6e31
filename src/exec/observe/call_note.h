// call_note.h — what a call of MPI was asked for, as the trace shows it beside the call's name.
//
// Thread safety: note_call the strand that calls.

#pragma once

#include <cstdint>

namespace heddle::observe {

struct CallNote {
  // The parts that the call has.
  enum Part : std::uint32_t {
    kDest = 1,
    kSource = 2,
    kRoot = 4,  // stands in place of the source
    kTag = 8,
    kBytes = 16,
    kComm = 32,
    kTarget = 64,  // of a window, in place of the destination
    kWindow = 128  // in place of the communicator
  };
  std::uint32_t parts = 0;
  std::int32_t dest = 0;
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  std::uint64_t communicator = 0;  // its number, or the window's; MPI_COMM_WORLD has 1
};

// Called after call_begins(false) (observe.h), while the trace is on or off.
[[gnu::cold, gnu::noinline]] void note_call(const CallNote& note) noexcept;

}  // namespace heddle::observe
