// variables.h — the performance variables (MPI 5.0 §15.3.7): what each one means, and how the
// calling rank's value is read.
//
// All of them are derived from figures that exist anyway, so that messages pay nothing for them:
// the collector's counters, the queues, the handle tables.
//
//   sums     counters and timers   each session has its own, from where it was started or set
//   levels   what is now           continuous and read-only
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include <cstdint>

namespace heddle::tool {

struct Variable {
  const char* name;
  const char* topic;
  const char* text;
  int variable_class;  // MPI_T_PVAR_CLASS_…
  int verbosity;
  // Nanoseconds for a timer. Takes no lock if it sums.
  std::uint64_t (*read)() noexcept;
  // Called when a handle for it is made; null: nothing. What is measured only where it is asked for
  // begins then.
  void (*prepare)() noexcept = nullptr;

  bool is_timer() const noexcept { return variable_class == MPI_T_PVAR_CLASS_TIMER; }
  bool sums() const noexcept { return is_timer() || variable_class == MPI_T_PVAR_CLASS_COUNTER; }
  MPI_Datatype datatype() const noexcept {
    return is_timer() ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
  }
};

int variable_count() noexcept;
// Requires 0 <= index < variable_count().
const Variable& variable(int index) noexcept;

}  // namespace heddle::tool
