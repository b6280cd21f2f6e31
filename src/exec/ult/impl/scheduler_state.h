// scheduler_state.h — what spawning needs to know of the running scheduler.
//
// Thread safety: any strand, while the scheduler runs.

#pragma once

#include <cstddef>

namespace heddle::ult {

class Worker;

// The worker that Attributes::worker asks for; -1: the caller's, else the least loaded.
Worker& worker_for(int wanted) noexcept;

std::size_t default_stack_bytes() noexcept;

}  // namespace heddle::ult
