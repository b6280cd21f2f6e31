// libc_calls.h — libc's own functions behind those that libmpi_abi.so.1 exports under the same names.
//
// Thread safety: any thread.

#pragma once

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace heddle::posix {

struct LibcCalls {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*join)(pthread_t, void**);
  int (*tryjoin)(pthread_t, void**);
  int (*clockjoin)(pthread_t, void**, clockid_t, const timespec*);
  int (*detach)(pthread_t);
  int (*cancel)(pthread_t);
  int (*setcanceltype)(int, int*);
  void (*exit)(void*);
  int (*getattr)(pthread_t, pthread_attr_t*);
  int (*getcpuclockid)(pthread_t, clockid_t*);
  int (*getschedparam)(pthread_t, int*, sched_param*);
  int (*setname)(pthread_t, const char*);
  int (*getname)(pthread_t, char*, size_t);
  int (*key_create)(pthread_key_t*, void (*)(void*));
  int (*key_delete)(pthread_key_t);

  int (*mutex_lock)(pthread_mutex_t*);
  int (*mutex_trylock)(pthread_mutex_t*);
  int (*mutex_clocklock)(pthread_mutex_t*, clockid_t, const timespec*);
  int (*mutex_unlock)(pthread_mutex_t*);

  int (*cond_wait)(pthread_cond_t*, pthread_mutex_t*);
  int (*cond_timedwait)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  int (*cond_clockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  int (*cond_signal)(pthread_cond_t*);
  int (*cond_broadcast)(pthread_cond_t*);

  int (*rwlock_rdlock)(pthread_rwlock_t*);
  int (*rwlock_wrlock)(pthread_rwlock_t*);
  int (*rwlock_tryrdlock)(pthread_rwlock_t*);
  int (*rwlock_trywrlock)(pthread_rwlock_t*);
  int (*rwlock_clockrdlock)(pthread_rwlock_t*, clockid_t, const timespec*);
  int (*rwlock_clockwrlock)(pthread_rwlock_t*, clockid_t, const timespec*);
  int (*rwlock_unlock)(pthread_rwlock_t*);

  int (*barrier_init)(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned);
  int (*barrier_destroy)(pthread_barrier_t*);
  int (*barrier_wait)(pthread_barrier_t*);
  int (*spin_lock)(pthread_spinlock_t*);
  int (*spin_trylock)(pthread_spinlock_t*);

  int (*sem_init)(sem_t*, int, unsigned);
  int (*sem_wait)(sem_t*);
  int (*sem_trywait)(sem_t*);
  int (*sem_clockwait)(sem_t*, clockid_t, const timespec*);
  int (*sem_post)(sem_t*);

  int (*nanosleep)(const timespec*, timespec*);
  int (*clock_nanosleep)(clockid_t, int, const timespec*, timespec*);
  int (*sched_yield)();

  unsigned (*alarm)(unsigned);
  useconds_t (*ualarm)(useconds_t, useconds_t);
  int (*setitimer)(__itimer_which_t, const itimerval*, itimerval*);
  int (*getitimer)(__itimer_which_t, itimerval*);
  int (*timer_create)(clockid_t, sigevent*, timer_t*);
  int (*timer_delete)(timer_t);
  int (*timer_settime)(timer_t, int, const itimerspec*, itimerspec*);
  int (*timer_gettime)(timer_t, itimerspec*);
  int (*timer_getoverrun)(timer_t);

  void (*siglongjmp)(__jmp_buf_tag*, int);
  void (*longjmp_checked)(__jmp_buf_tag*, int);

  int (*sigaction)(int, const struct sigaction*, struct sigaction*);
  void (*(*signal)(int, void (*)(int)))(int);
  int (*sigmask)(int, const sigset_t*, sigset_t*);
  int (*sigprocmask)(int, const sigset_t*, sigset_t*);
  void (*(*sysv_signal)(int, void (*)(int)))(int);
  int (*sigaltstack)(const stack_t*, stack_t*);
  int (*sigpending)(sigset_t*);
  int (*raise)(int);
  int (*kill)(pid_t, int);
  int (*sigqueue)(pid_t, int, sigval);
  int (*pthread_kill)(pthread_t, int);
  int (*pause)();
  int (*sigsuspend)(const sigset_t*);
  int (*sigtimedwait)(const sigset_t*, siginfo_t*, const timespec*);

  int (*sched_getaffinity)(pid_t, size_t, cpu_set_t*);
  int (*sched_setaffinity)(pid_t, size_t, const cpu_set_t*);
  int (*pthread_getaffinity)(pthread_t, size_t, cpu_set_t*);
  int (*pthread_setaffinity)(pthread_t, size_t, const cpu_set_t*);

  int (*setuid)(uid_t);
  int (*seteuid)(uid_t);
  int (*setreuid)(uid_t, uid_t);
  int (*setresuid)(uid_t, uid_t, uid_t);
  int (*setgid)(gid_t);
  int (*setegid)(gid_t);
  int (*setregid)(gid_t, gid_t);
  int (*setresgid)(gid_t, gid_t, gid_t);
  int (*setgroups)(size_t, const gid_t*);
  int (*initgroups)(const char*, gid_t);

  long (*syscall)(long, ...);
};

// Looked up by the first call, at the latest when this library is loaded.
const LibcCalls& libc_calls() noexcept;

}  // namespace heddle::posix
