// kernel_wait.h — what a kernel thread waits for (stillness.h notes it, own_sleep.h reads it).
//
// Thread safety: each thread writes its own; a judge reads that of a thread that sleeps for good
// (own_sleep.h).

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.h"
#include "exec/ult/run/ult_record.h"
#include "exec/ult/wait_note.h"

namespace heddle::ult {

struct KernelWait : ListNode<> {  // listed while it sleeps for good
  std::atomic<const WaitNote*> note = nullptr;
  std::atomic<std::uint64_t> steps = 0;                     // as Ult::steps
  std::atomic<std::uint64_t> answered = Ult::kAsksNothing;  // as Ult::answered
  pid_t thread = 0;                                         // once it has slept for good
};
extern thread_local constinit KernelWait kernel_wait;

}  // namespace heddle::ult
