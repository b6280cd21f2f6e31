// kernel_wait.h — what a kernel thread waits for (stillness.h notes it, own_sleep.h reads it).
//
// Thread safety: each thread has its own.

#pragma once

#include <cstdint>

#include "exec/ult/run/ult_record.h"
#include "exec/ult/wait_note.h"

namespace heddle::ult {

struct KernelWait {
  const WaitNote* note = nullptr;
  std::uint64_t steps = 0;                     // as Ult::steps
  std::uint64_t answered = Ult::kAsksNothing;  // as Ult::answered
};
extern thread_local constinit KernelWait kernel_wait;

}  // namespace heddle::ult
