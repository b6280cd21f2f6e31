// names.h — names that are valid on every host. A process is (job, rank in that job's
// MPI_COMM_WORLD); a communicator is its context id. Messages carry names, because pointers and
// handles mean nothing on another host.
//
// Thread safety: plain data.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::world {

// A job is the ranks of one MPI_COMM_WORLD. No two jobs that may exchange messages have the same
// id.
using JobId = std::uint32_t;
constexpr JobId kNoJob = 0;
constexpr JobId kFirstJob = 1;  // what mpiexec, MPIX_Run or a program alone has started

// A process for the whole of its life, on every host.
struct ProcessName {
  JobId job = kNoJob;
  std::int32_t number = 0;  // its rank in its job's MPI_COMM_WORLD

  bool operator==(const ProcessName&) const noexcept = default;
  bool operator<(const ProcessName& other) const noexcept {
    return job != other.job ? job < other.job : number < other.number;
  }
};
static_assert(sizeof(ProcessName) == 8, "it travels in messages");

// "process 3", or "process 3 of job 2".
std::string describe(const ProcessName& name);

// Names a communicator, on every host; see context_ids.h.
using ContextId = std::uint64_t;
constexpr ContextId kNoContext = 0;

}  // namespace heddle::world

template <>
struct std::hash<heddle::world::ProcessName> {
  std::size_t operator()(const heddle::world::ProcessName& name) const noexcept {
    return std::size_t{name.job} << 32 | static_cast<std::uint32_t>(name.number);
  }
};
