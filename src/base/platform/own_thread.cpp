#include "base/platform/own_thread.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <new>

namespace heddle::platform {

namespace {

// Private to glibc, but exported for the same use by Java's runtime. Where it is missing, a guess
// above what mpiexec asks for (GLIBC_TUNABLES).
std::size_t find_static_tls_bytes() noexcept {
  constexpr std::size_t kGuess = std::size_t{1} << 20;
  const auto smallest = reinterpret_cast<std::size_t (*)(const pthread_attr_t*)>(
      dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  pthread_attr_t usual;
  if (smallest == nullptr || pthread_attr_init(&usual) != 0) return kGuess;
  const std::size_t bytes = smallest(&usual);
  pthread_attr_destroy(&usual);
  return bytes;
}

// What it had when this library was loaded. Later the first thread may be bound to a core, as its
// creator may be.
struct CpusOfProcess {
  CpusOfProcess() noexcept : known(sched_getaffinity(0, sizeof cpus, &cpus) == 0) {}
  cpu_set_t cpus;
  const bool known;
};
const CpusOfProcess cpus_of_process;

// The program may have moved the creator to one core, or raised its priority.
void become_like_first_thread() noexcept {
  const pid_t first = getpid();
  if (cpus_of_process.known) {
    sched_setaffinity(0, sizeof cpus_of_process.cpus, &cpus_of_process.cpus);
  }
  const int policy = sched_getscheduler(first);
  sched_param parameters;
  if (policy >= 0 && sched_getparam(first, &parameters) == 0) {
    sched_setscheduler(0, policy, &parameters);
  }
  errno = 0;
  const int niceness = getpriority(PRIO_PROCESS, static_cast<id_t>(first));
  if (errno == 0) setpriority(PRIO_PROCESS, 0, niceness);
}

void* thread_main(void* argument) {
  const OwnThread self = *static_cast<OwnThread*>(argument);
  delete static_cast<OwnThread*>(argument);
  prctl(PR_SET_NAME, self.name);
  become_like_first_thread();
  return self.function(self.argument);
}

int start(const OwnThread& wanted, int detach_state, pthread_t* out) noexcept {
  auto* const argument = new (std::nothrow) OwnThread(wanted);
  if (argument == nullptr) return ENOMEM;
  sigset_t all;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kOwnStackBytes + static_tls_bytes());
  pthread_attr_setdetachstate(&attributes, detach_state);
  int error = pthread_attr_setsigmask_np(&attributes, &all);
  if (error == 0) error = pthread_create(out, &attributes, thread_main, argument);
  pthread_attr_destroy(&attributes);
  if (error != 0) delete argument;
  return error;
}

}  // namespace

std::size_t static_tls_bytes() noexcept {
  static const std::size_t bytes = find_static_tls_bytes();
  return bytes;
}

// The first call is over before there are ranks: dlsym waits for a lock that a thread may hold
// which loads code.
[[maybe_unused]] static const std::size_t found_at_load = static_tls_bytes();

int start_own_thread(const OwnThread& wanted, pthread_t* out) noexcept {
  return start(wanted, PTHREAD_CREATE_JOINABLE, out);
}

int start_detached_own_thread(const OwnThread& wanted) noexcept {
  pthread_t thread;
  return start(wanted, PTHREAD_CREATE_DETACHED, &thread);
}

}  // namespace heddle::platform
