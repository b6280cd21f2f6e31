// clock.h — the time of all deadlines and durations in this library: CLOCK_MONOTONIC, in
// nanoseconds.
//
// To read it costs about 25 ns and no system call. A loop that spins reads it every few turns only.
//
// Thread safety: any thread.

#pragma once

#include <time.h>

#include <cstdint>

namespace heddle::platform {

inline std::int64_t now_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// For MPI_Wtime and MPI_Wtick (MPI 5.0 §9.6): seconds since some time in the past.
inline double wtime() noexcept {
  return static_cast<double>(now_ns()) * 1e-9;
}
inline double wtick() noexcept {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return static_cast<double>(resolution.tv_sec) + static_cast<double>(resolution.tv_nsec) * 1e-9;
}

}  // namespace heddle::platform
