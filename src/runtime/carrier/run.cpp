// MPIX_Run: ranks inside an application or a test, without a launcher.

#include <cstdio>
#include <memory>

#include "exec/rank/rank.h"
#include "heddle/mpix.h"
#include "runtime/carrier/job.h"
#include "runtime/carrier/run_on_hosts.h"
#include "runtime/job_board/job_board.h"
#include "runtime/ways/find_way.h"
#include "runtime/ways/pretended_way.h"

namespace heddle::runtime {
namespace {

struct Call {
  void (*function)(void*);
  void* argument;
};

int run_function(int, void* context) {
  const Call& call = *static_cast<Call*>(context);
  call.function(call.argument);
  return 0;
}

Error run(int ranks, Call call, const MPIX_Run_options& wanted, const Pretence& pretence) {
  if (Rank::current() != nullptr || ult::running()) {
    return Error::make(MPI_ERR_OTHER,
                       "MPIX_Run may not be called from a rank or while another runs");
  }
  if (ranks < 1)
    return Error::make(MPI_ERR_ARG, "argument ranks is %d; it must be at least 1", ranks);
  if (call.function == nullptr) return Error::make(MPI_ERR_ARG, "argument function is null");
  JobOptions options;
  options.ranks = ranks;
  options.scheduler.workers = wanted.workers;
  if (wanted.stack_bytes != 0) options.scheduler.stack_bytes = wanted.stack_bytes;
  options.scheduler.yield_seed = wanted.yield_seed;
  options.main = run_function;
  options.context = &call;
  std::unique_ptr<Way> way = way_of(pretence);
  int memory = -1;
  if (!pretence.by_launcher) {
    job_board().begin();
  } else if (Error e = job_board().join(&memory)) {
    return e;
  }
  if (memory >= 0) {
    if (Error e = find_way(memory, {}, &way)) return e;
  }
  options.way = way.get();
  int status = 0;
  Error failed = run_job(options, &status);
  if (memory >= 0) static_cast<void>(way.release());  // threads may wait until the process ends
  return failed;
}

int run_and_tell(int ranks, Call call, const MPIX_Run_options* options, const Pretence& pretence) {
  const Error e = run(ranks, call, options != nullptr ? *options : MPIX_Run_options{}, pretence);
  if (!e) return MPI_SUCCESS;
  std::fprintf(stderr, "MPIX_Run: %.*s\n", static_cast<int>(e.text().size()), e.text().data());
  return e.error_class();
}

}  // namespace
}  // namespace heddle::runtime

extern "C" int MPIX_Run(int ranks, void (*function)(void*), void* argument,
                        const MPIX_Run_options* options) {
  return heddle::runtime::run_and_tell(ranks, {function, argument}, options, {});
}

int heddle_run_on_hosts(int ranks, void (*function)(void*), void* argument,
                        const MPIX_Run_options* options,
                        const heddle::runtime::Pretence* pretence) {
  return heddle::runtime::run_and_tell(ranks, {function, argument}, options, *pretence);
}
