// LLVM's OpenMP (libomp) in a rank. Each rank has a private copy, whose teams are threads of the
// rank, that is ults.
//
// Its copies tell each other that they are in one process, through a segment of shared memory. So a
// copy is started before main, started and ended by one rank at a time, and told that it is not
// alone. A region in a constructor starts it earlier, so what a copy reads stands in the
// environment before the program's constructors. It must end with the rank: else the end of the
// process waits for threads that no worker runs any more.
//
// A copy would make teams of as many threads as the process has CPUs, in each rank. So it is told
// the rank's share of the cores, where the user has not said how many, and omp_get_num_procs says
// the same. (A copy that is shown fewer CPUs would bind its threads to them, and the workers with
// them.)
//
// A thread of a team without work looks for some for 200 ms. It lets others run after each look if
// the team has more threads than there are CPUs, else after a thousand, and knows nothing of other
// ranks. So where the user has asked for more threads than the rank has cores, it waits at once.
//
// A thread that waits for a lock or a critical section would look for it for ever. With locks of
// the kind futex it waits in the scheduler (locks/futex_calls.h): it uses no core, and takes part
// in a proof of deadlock.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/process/state/of_rank/hosted.h"

namespace heddle::process::of_rank {

namespace {
constexpr int kPauseHard = 2;  // omp_pause_hard

// The program's library of OpenMP, found before main: a first call may come where the dynamic
// linker's lock is held.
struct Functions {
  // False: the program has no such library, or GNU's libgomp, which all ranks share.
  bool are_libomps;
  int (*get_num_procs)();
  int (*get_num_procs_fortran)();
  int (*get_max_threads)();
  int (*pause)(int, int);
  int (*pause_fortran)(int*, int*);
  int (*pause_all)(int);
  int (*pause_all_fortran)(int*);
};
constinit Functions functions = {};

template <class Function>
void find(Function** function, const char* name) noexcept {
  *function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void find_functions() noexcept {
  find(&functions.get_num_procs, "omp_get_num_procs");
  if (functions.get_num_procs == nullptr) return;
  find(&functions.get_num_procs_fortran, "omp_get_num_procs_");
  find(&functions.get_max_threads, "omp_get_max_threads");
  find(&functions.pause, "omp_pause_resource");
  find(&functions.pause_fortran, "omp_pause_resource_");
  find(&functions.pause_all, "omp_pause_resource_all");
  find(&functions.pause_all_fortran, "omp_pause_resource_all_");
  functions.are_libomps = dlsym(RTLD_NEXT, "kmp_get_blocktime") != nullptr;
}

// `all`: the library's answer. libgomp's stays: its teams have that size.
int processors_of_rank(int (*all)()) noexcept {
  const int processors = all != nullptr ? all() : 1;
  const bool has_share = rank_hooks() != nullptr && functions.are_libomps;
  return has_share && own_rank().cores < processors ? own_rank().cores : processors;
}

// Judges a value of OMP_NUM_THREADS, which names a number for each level of nested teams.
bool are_more_than(const char* threads, int cores) noexcept {
  long all = 1;
  while (threads != nullptr && all <= cores) {
    char* end = nullptr;
    const long of_level = strtol(threads, &end, 10);
    if (of_level > 0) all = of_level > cores ? of_level : all * of_level;
    threads = *end == ',' ? end + 1 : nullptr;
  }
  return all > cores;
}

// While it lives no other rank starts or ends its copy.
class Alone {
 public:
  Alone() noexcept {
    if (host_ != nullptr) host_->program.enter_alone();
  }
  ~Alone() {
    if (host_ != nullptr) host_->program.leave_alone();
  }
  Alone(Alone&&) = delete;

 private:
  const heddle_libc_hooks* const host_ = rank_hooks();
};

// Which variables the copy is to read, and the program is not to keep.
constinit bool lent_threads = false;
constinit bool lent_wait = false;
constinit bool lent_locks = false;

// What the copy reads when it starts.
void lend_variables() {
  setenv("KMP_DUPLICATE_LIB_OK", "TRUE", 1);  // whatever the user says: there are other copies
  const bool chosen = getenv("OMP_NUM_THREADS") != nullptr;
  char cores[16];
  snprintf(cores, sizeof cores, "%d", own_rank().cores);
  setenv("OMP_NUM_THREADS", cores, 0);
  lent_threads = !chosen;
  lent_wait = chosen && are_more_than(getenv("OMP_NUM_THREADS"), own_rank().cores) &&
              getenv("KMP_BLOCKTIME") == nullptr && getenv("KMP_LIBRARY") == nullptr &&
              getenv("OMP_WAIT_POLICY") == nullptr;
  if (lent_wait) setenv("KMP_BLOCKTIME", "0", 0);
  lent_locks = getenv("KMP_LOCK_KIND") == nullptr;
  if (lent_locks) setenv("KMP_LOCK_KIND", "futex", 0);
}
void take_back_variables() {
  if (lent_threads) unsetenv("OMP_NUM_THREADS");
  if (lent_wait) unsetenv("KMP_BLOCKTIME");
  if (lent_locks) unsetenv("KMP_LOCK_KIND");
  lent_threads = lent_wait = lent_locks = false;
}

// Requires Alone, and variables that are lent.
void start_copy() {
  if (functions.are_libomps) functions.get_max_threads();
  take_back_variables();
}

// The copy ends, and would start again with the next region, perhaps beside others: so it starts
// here.
template <class Pause>
int pause_alone(Pause pause) {
  if (rank_hooks() == nullptr) return pause();
  const Alone alone;
  const int result = pause();
  lend_variables();
  start_copy();
  return result;
}

}  // namespace

void prepare_openmp() {
  find_functions();
  if (hooks() != nullptr && functions.are_libomps) lend_variables();
}

void start_openmp() {
  if (!functions.are_libomps) return;
  const Alone alone;
  start_copy();
}

void end_openmp() {
  if (!functions.are_libomps || functions.pause_all == nullptr) return;
  const Alone alone;
  functions.pause_all(kPauseHard);
}

}  // namespace heddle::process::of_rank

using namespace heddle::process::of_rank;

HEDDLE_EXPORT int omp_get_num_procs() {
  return processors_of_rank(functions.get_num_procs);
}

HEDDLE_EXPORT int omp_get_num_procs_() {  // Fortran's
  return processors_of_rank(functions.get_num_procs_fortran);
}

HEDDLE_EXPORT int omp_pause_resource_all(int kind) {
  return pause_alone([=] { return functions.pause_all(kind); });
}

HEDDLE_EXPORT int omp_pause_resource_all_(int* kind) {
  return pause_alone([=] { return functions.pause_all_fortran(kind); });
}

HEDDLE_EXPORT int omp_pause_resource(int kind, int device) {
  return pause_alone([=] { return functions.pause(kind, device); });
}

HEDDLE_EXPORT int omp_pause_resource_(int* kind, int* device) {
  return pause_alone([=] { return functions.pause_fortran(kind, device); });
}
