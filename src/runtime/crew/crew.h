// crew.h — the ranks of one job that this process carries, from before MPI_Init to after
// MPI_Finalize.
//
//   spawn ── a ult for each rank ─┬─ rank 0: enter, RankMain, leave ┐
//                                 ├─ rank 1: …                      ├─ await_ends
//                                 └─ …                              ┘
//
// Thread safety: spawn and await_ends once; the functions that name no crew any strand of a rank.

#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/platform/placement.h"
#include "exec/ult/ult.h"
#include "runtime/crew/hosts.h"
#include "runtime/crew/resident.h"

namespace heddle::runtime {

// The main function of a rank; returns its exit status. Runs on the rank's main ult;
// Rank::current() is set.
using RankMain = int (*)(int rank, void* context);

struct CrewOptions {
  int ranks = 1;              // of the job, which may have several processes
  bool process_ends = false;  // after the job, so that threads that still run need not stop
  RankMain main = nullptr;
  void* context = nullptr;
};

struct RankStart;

class Crew {
 public:
  // Both stay.
  Crew(const CrewOptions& options, Hosts& hosts);
  ~Crew();

  // Once. `workers`: of each rank; `cores`: of each worker. Ends the process when there is no
  // memory for a rank.
  void spawn(std::span<const int> workers, std::span<const platform::Core> cores);
  // Waits for the ranks; returns true if all main strands have returned. May switch.
  bool await_ends();

  const std::vector<int>& numbers() const noexcept { return numbers_; }  // ascending
  std::span<Resident> residents() noexcept { return residents_; }        // in that order
  // The first status other than 0 that a rank returned, or 0. After await_ends.
  int first_failure() const noexcept { return first_failure_.load(std::memory_order_relaxed); }

 private:
  friend struct RankStart;
  enum class Then : unsigned char { kEnds, kStays };

  static void run_rank(void* start);
  Then account(int status);
  void watch_others(const char* without);

  const CrewOptions& options_;
  Hosts& hosts_;
  const std::vector<int> numbers_;
  std::vector<Resident> residents_;
  std::vector<RankStart> starts_;
  std::vector<ult::Ult*> mains_;
  std::atomic<int> first_failure_{0};
  std::atomic<bool> is_watched_{false};  // a rank that has left watches the others
  std::atomic<int> over_{0};             // ranks that have ended in any way
};

// The rank with this number, as its host moves it. Null: it is on another host, or the calling rank
// has no host with workers.
Resident* find_resident(int number) noexcept;
// All that this process moves, in the order of their numbers; empty: the calling rank has no host
// with workers.
std::span<Resident> residents() noexcept;

// Ends the calling rank, whose main strand will not return from RankMain. Called by another strand
// of the rank, which then stands still. The main strand's ult stays until the process ends.
void end_rank_from_thread(int status);

// Ends a rank that has left in a constructor or destructor of its program. It may hold locks of the
// loader, which all ranks need, so the job ends with it.
[[noreturn]] void end_rank_outside_main(int status);

// Ends a rank that has left in a handler of a signal that has interrupted MPI, and the job with it:
// other ranks may still write to what the call has on the stack.
[[noreturn]] void end_rank_inside_mpi(int status);

// A handler has left this MPI function by longjmp: the job ends.
[[noreturn]] void end_job_for_left_call(const char* call);

}  // namespace heddle::runtime
