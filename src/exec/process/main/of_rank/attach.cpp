#include "exec/process/program/of_rank/own_process.h"
#include "exec/process/state/of_rank/hosted.h"
#include "exec/process/state/of_rank/lock.h"

// Absent where the program runs without libmpi_abi.so.1.
extern "C" __attribute__((weak)) const heddle_libc_hooks* heddle_libc_attach(
    const heddle_libc_image* image, const heddle_libc_rank** rank);

namespace heddle::process::of_rank {

constinit const heddle_libc_functions* found_functions = nullptr;

namespace {

constinit bool asked = false;
constinit const heddle_libc_hooks* answer = nullptr;
constinit const heddle_libc_rank* rank_of_host = nullptr;
constinit heddle_libc_functions found_here = {};  // where no host has found them

const heddle_libc_image image = {sizeof(heddle_libc_image),
                                 sizeof(heddle_libc_hooks),
                                 sizeof(heddle_libc_rank),
                                 sizeof(heddle_libc_functions),
                                 start_openmp,
                                 finish,
                                 environment_variable,
                                 hold_all_locks,
                                 release_all_locks,
                                 get_name_of_main,
                                 set_name_of_main,
                                 call_by_number};

void find_functions_here() noexcept {
  find_functions(&found_here, Names::kOfEachLibc);
  found_functions = &found_here;
}

// Alone: either in the constructor or in that of another library of the same dlopen.
void attach() noexcept {
  asked = true;
  if (heddle_libc_attach != nullptr) answer = heddle_libc_attach(&image, &rank_of_host);
  if (answer == nullptr) return find_functions_here();
  found_functions = rank_of_host->libc;
  adopt_environment(rank_of_host->environment);
  adopt_streams(rank_of_host->streams);
  adopt_program_name(rank_of_host->argv[0]);
}

// -z initfirst puts this before the constructors of the program's other libraries.
__attribute__((constructor)) void construct() noexcept {
  hooks();
  if (found_functions == &found_here) find_functions(&found_here, Names::kMayBeAbsent);
  prepare_openmp();
}

// A rank's memory is the host's, which goes on: what a process would leave to its end is freed.
__attribute__((destructor)) void destroy() noexcept {
  if (answer == nullptr) return;
  close_streams();
  forget_environment();
  forget_lookups();
  forget_locale();
}

}  // namespace

const heddle_libc_hooks* hooks() noexcept {
  if (!asked) attach();
  return answer;
}

void find_libc() noexcept {
  hooks();
  if (found_functions == nullptr) find_functions_here();  // within the attachment
}

const heddle_libc_rank& own_rank() noexcept {
  return *rank_of_host;
}

}  // namespace heddle::process::of_rank
