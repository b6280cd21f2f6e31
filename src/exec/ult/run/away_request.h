// away_request.h — the call monitor asks the ult of a worker to go away in its system call
// (away.h).
//
//   state   leaves by                             meanwhile
//   ------  ------------------------------------  -------------------------------------------------
//   idle    the monitor: asked [R1]               the fields are the monitor's
//   asked   the handler: taken [A1];              no thread writes the fields
//           the monitor takes it back: idle
//   taken   the handler: idle [R2]                the fields are the handler's
//
// Thread safety: as in the table; one for each worker.

#pragma once

#include <atomic>
#include <cstdint>

#include "exec/ult/switch/system_call.h"

namespace heddle::ult {

class WorkerThread;

struct AwayRequest {
  static constexpr std::uint32_t kIdle = 0, kAsked = 1, kTaken = 2;

  std::atomic<std::uint32_t> state{kIdle};
  SystemCall call;
  std::int64_t since_ns = 0;      // when it was first seen in the call
  std::uint64_t switches = 0;     // of the worker, then
  WorkerThread* spare = nullptr;  // from the monitor; null once it is used
  bool refused = false;  // by the handler: the call stays, and must not be interrupted again
};

}  // namespace heddle::ult
