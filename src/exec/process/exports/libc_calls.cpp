#include "exec/process/exports/libc_calls.h"

#include <dlfcn.h>

namespace heddle::posix {

namespace {

template <class Function>
void find(const char* name, Function** out) noexcept {
  *out = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void find_signals(LibcCalls& calls) noexcept {
  find("alarm", &calls.alarm);
  find("ualarm", &calls.ualarm);
  find("setitimer", &calls.setitimer);
  find("getitimer", &calls.getitimer);
  find("timer_create", &calls.timer_create);
  find("timer_delete", &calls.timer_delete);
  find("timer_settime", &calls.timer_settime);
  find("timer_gettime", &calls.timer_gettime);
  find("timer_getoverrun", &calls.timer_getoverrun);
  find("siglongjmp", &calls.siglongjmp);
  find("__longjmp_chk", &calls.longjmp_checked);
  find("sigaction", &calls.sigaction);
  find("signal", &calls.signal);
  find("pthread_sigmask", &calls.sigmask);
  find("sigprocmask", &calls.sigprocmask);
  find("__sysv_signal", &calls.sysv_signal);
  find("sigaltstack", &calls.sigaltstack);
  find("sigpending", &calls.sigpending);
  find("raise", &calls.raise);
  find("kill", &calls.kill);
  find("sigqueue", &calls.sigqueue);
  find("pthread_kill", &calls.pthread_kill);
  find("pause", &calls.pause);
  find("sigsuspend", &calls.sigsuspend);
  find("sigtimedwait", &calls.sigtimedwait);
}

void find_identity(LibcCalls& calls) noexcept {
  find("setuid", &calls.setuid);
  find("seteuid", &calls.seteuid);
  find("setreuid", &calls.setreuid);
  find("setresuid", &calls.setresuid);
  find("setgid", &calls.setgid);
  find("setegid", &calls.setegid);
  find("setregid", &calls.setregid);
  find("setresgid", &calls.setresgid);
  find("setgroups", &calls.setgroups);
  find("initgroups", &calls.initgroups);
}

LibcCalls find_all() noexcept {
  LibcCalls calls{};
  find("pthread_create", &calls.create);
  find("pthread_join", &calls.join);
  find("pthread_tryjoin_np", &calls.tryjoin);
  find("pthread_clockjoin_np", &calls.clockjoin);
  find("pthread_detach", &calls.detach);
  find("pthread_cancel", &calls.cancel);
  find("pthread_setcanceltype", &calls.setcanceltype);
  find("pthread_exit", &calls.exit);
  find("pthread_getattr_np", &calls.getattr);
  find("pthread_getcpuclockid", &calls.getcpuclockid);
  find("pthread_getschedparam", &calls.getschedparam);
  find("pthread_setname_np", &calls.setname);
  find("pthread_getname_np", &calls.getname);
  find("pthread_key_create", &calls.key_create);
  find("pthread_key_delete", &calls.key_delete);
  find("pthread_mutex_lock", &calls.mutex_lock);
  find("pthread_mutex_trylock", &calls.mutex_trylock);
  find("pthread_mutex_clocklock", &calls.mutex_clocklock);
  find("pthread_mutex_unlock", &calls.mutex_unlock);
  find("pthread_cond_wait", &calls.cond_wait);
  find("pthread_cond_timedwait", &calls.cond_timedwait);
  find("pthread_cond_clockwait", &calls.cond_clockwait);
  find("pthread_cond_signal", &calls.cond_signal);
  find("pthread_cond_broadcast", &calls.cond_broadcast);
  find("pthread_rwlock_rdlock", &calls.rwlock_rdlock);
  find("pthread_rwlock_wrlock", &calls.rwlock_wrlock);
  find("pthread_rwlock_tryrdlock", &calls.rwlock_tryrdlock);
  find("pthread_rwlock_trywrlock", &calls.rwlock_trywrlock);
  find("pthread_rwlock_clockrdlock", &calls.rwlock_clockrdlock);
  find("pthread_rwlock_clockwrlock", &calls.rwlock_clockwrlock);
  find("pthread_rwlock_unlock", &calls.rwlock_unlock);
  find("pthread_barrier_init", &calls.barrier_init);
  find("pthread_barrier_destroy", &calls.barrier_destroy);
  find("pthread_barrier_wait", &calls.barrier_wait);
  find("pthread_spin_lock", &calls.spin_lock);
  find("pthread_spin_trylock", &calls.spin_trylock);
  find("sem_init", &calls.sem_init);
  find("sem_wait", &calls.sem_wait);
  find("sem_trywait", &calls.sem_trywait);
  find("sem_clockwait", &calls.sem_clockwait);
  find("sem_post", &calls.sem_post);
  find("nanosleep", &calls.nanosleep);
  find("clock_nanosleep", &calls.clock_nanosleep);
  find("sched_yield", &calls.sched_yield);
  find("sched_getaffinity", &calls.sched_getaffinity);
  find("sched_setaffinity", &calls.sched_setaffinity);
  find("pthread_getaffinity_np", &calls.pthread_getaffinity);
  find("pthread_setaffinity_np", &calls.pthread_setaffinity);
  find("syscall", &calls.syscall);
  find_signals(calls);
  find_identity(calls);
  return calls;
}

}  // namespace

const LibcCalls& libc_calls() noexcept {
  static const LibcCalls calls = find_all();
  return calls;
}

// The first call is over before there is a second thread. Otherwise a fork could copy the guard of `calls` while another
// thread holds it, and the child would wait for ever.
[[maybe_unused]] static const LibcCalls& found_at_load = libc_calls();

}  // namespace heddle::posix
