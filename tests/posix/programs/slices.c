/* Threads and ranks that compute or spin without ever waiting, more of them than workers. None of this
 * ends if no thread is interrupted.
 *
 *   slices barrier    threads meet at a barrier of their own, which spins
 *   slices flag       the main strand spins until a thread has done its work
 *   slices short      threads meet at such a barrier, and call short functions of MPI while they spin
 *   slices beside     threads compute until the main strands of all ranks have exchanged messages
 *   slices shared     threads compute while they hold a process-shared mutex and a lock for reading
 *   slices memory     the main strand compares and measures memory in libc until a thread has changed it
 *   slices handler    a signal handler of the program computes while malloc and free are interrupted
 *   slices sleeps     the main strand sleeps beside threads that compute, and misses few of their turns
 *   slices urgent     the program has its own action for SIGURG: both see their signals
 *   slices masked     the program blocks signals, SIGURG among them
 *   slices numbers    threads that are interrupted all the time get the sums that one alone gets
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { kThreads = 4, kRounds = 50, kMessages = 100, kTerms = 20000000 };
enum { kSleeps = 10, kTurnsASleep = 20 };

static atomic_int arrived, done;
static double sums[kThreads];

static double sum_of(int first) {
  double even = 0, odd = 1, product = 1;
  for (int i = first; i < first + kTerms; i += 2) {
    even += 1.0 / (i + 1);
    odd -= 1.0 / (i + 2);
    product *= 1.0 + 1.0 / ((double)i * i + 3);
  }
  return even * 3 + odd * 5 + product * 7;
}

static void* meet(void* unused) {
  for (int round = 1; round <= kRounds; ++round) {
    ++arrived;
    while (arrived < round * kThreads) continue;
  }
  return unused;
}

/* The time most of all: it takes long beside the loop's own code. */
static void call_short(long number) {
  int value;
  if (number == 0) {
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
  } else {
    MPI_Wtime();
  }
}

static void* meet_with_calls(void* number) {
  for (int round = 1; round <= kRounds; ++round) {
    ++arrived;
    while (arrived < round * kThreads) call_short((long)number);
  }
  return number;
}

static void* work(void* unused) {
  for (volatile int i = 0; i < 1000000; ++i) continue;
  done = 1;
  return unused;
}

enum { kBytes = 1 << 20 };
static char text[2][kBytes];

static void* change_text(void* unused) {
  work(unused);
  text[0][kBytes - 2] = 'b';
  work(unused);
  text[0][kBytes / 2] = '\0';
  return unused;
}

static void watch_text(void) {
  pthread_t changer;
  for (int i = 0; i < 2; ++i) memset(text[i], 'a', kBytes - 1);
  pthread_create(&changer, NULL, change_text, NULL);
  while (memcmp(text[0], text[1], kBytes) == 0) __asm__ volatile("" : : : "memory");
  while (strlen(text[0]) == kBytes - 1) __asm__ volatile("" : : : "memory");
  pthread_join(changer, NULL);
}

static void* compute(void* unused) {
  for (volatile double x = 0; !done; x += 1) continue;
  return unused;
}

/* Turns that the threads have taken, which one worker gives them: exact enough there. */
static _Atomic long last_turn, turns;

static void* compute_in_turns(void* number) {
  while (!done) {
    if (last_turn == (long)number) continue;
    last_turn = (long)number;
    ++turns;
  }
  return number;
}

static int sleep_beside(void) {
  const long before = turns;
  for (int i = 0; i < kSleeps; ++i) usleep(1000);
  return turns - before < kSleeps * kTurnsASleep;
}

static pthread_mutex_t shared_mutex;
static pthread_rwlock_t shared_lock;
static int held;

static void* hold(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&shared_mutex);
    ++held;
    pthread_rwlock_wrlock(&shared_lock);
    for (volatile int k = 0; k < 3000000; ++k) continue;
    pthread_rwlock_unlock(&shared_lock);
    pthread_mutex_unlock(&shared_mutex);
  }
  return unused;
}

static void make_shared(void) {
  pthread_mutexattr_t mutex;
  pthread_rwlockattr_t lock;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared_mutex, &mutex);
  pthread_rwlockattr_init(&lock);
  pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared_lock, &lock);
}

static void compute_in_handler(int signal) {
  (void)signal;
  for (volatile int i = 0; i < 3000000; ++i) continue;
}

static atomic_int urgent;
static void count_urgent(int signal) {
  urgent += signal == SIGURG;
}
static void count_with_info(int signal, siginfo_t* info, void* context) {
  urgent += signal == SIGURG && info->si_signo == SIGURG && context != NULL ? 100 : 0;
}

/* What the program is told is what it has set. */
static int have_action(void) {
  struct sigaction action = {0}, old;
  if (signal(SIGURG, count_urgent) != SIG_DFL) return 0;
  raise(SIGURG);
  action.sa_sigaction = count_with_info;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  if (sigaction(SIGURG, &action, &old) != 0 || old.sa_handler != count_urgent) return 0;
  raise(SIGURG);
  if (sigaction(SIGURG, NULL, &old) != 0 || old.sa_handler != SIG_DFL) return 0;
  raise(SIGURG);
  return urgent == 101 && signal(SIGURG, SIG_IGN) == SIG_DFL;
}

static int block_signals(void) {
  sigset_t set, now;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigaddset(&set, SIGURG);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return 0;
  sigaddset(&set, SIGUSR1);
  if (sigprocmask(SIG_SETMASK, &set, NULL) != 0) return 0;
  sigprocmask(SIG_BLOCK, NULL, &now);
  return sigismember(&now, SIGPIPE) && sigismember(&now, SIGUSR1) && !sigismember(&now, SIGINT);
}

static void* allocate(void* unused) {
  while (!done) free(malloc(100 + (size_t)unused));
  return unused;
}

static void* add(void* number) {
  sums[(long)number] = sum_of(1 + (int)(long)number % 2);
  return NULL;
}

static void start_all(pthread_t* threads, void* (*function)(void*)) {
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, function, (void*)i);
}
static void join_all(pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static int exchange(void) {
  int rank, size, got = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got != i) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  const char* use = argc > 1 ? argv[1] : "";
  pthread_t threads[kThreads];
  int level, right = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (strcmp(use, "barrier") == 0) {
    start_all(threads, meet);
    join_all(threads);
  } else if (strcmp(use, "short") == 0) {
    start_all(threads, meet_with_calls);
    join_all(threads);
  } else if (strcmp(use, "urgent") == 0 || strcmp(use, "masked") == 0) {
    right = use[0] == 'u' ? have_action() : block_signals();
    start_all(threads, meet);
    join_all(threads);
  } else if (strcmp(use, "flag") == 0) {
    pthread_create(&threads[0], NULL, work, NULL);
    while (!done) continue;
    pthread_join(threads[0], NULL);
  } else if (strcmp(use, "memory") == 0) {
    watch_text();
  } else if (strcmp(use, "shared") == 0) {
    make_shared();
    start_all(threads, hold);
    join_all(threads);
    right = held == 3 * kThreads;
  } else if (strcmp(use, "handler") == 0) {
    const struct itimerval ticks = {{0, 20000}, {0, 20000}};
    signal(SIGPROF, compute_in_handler);
    setitimer(ITIMER_PROF, &ticks, NULL);
    start_all(threads, allocate);
    right = exchange();
    for (volatile int i = 0; i < 100000000; ++i) continue;
    done = 1;
    join_all(threads);
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
  } else if (strcmp(use, "sleeps") == 0) {
    start_all(threads, compute_in_turns);
    right = sleep_beside();
    done = 1;
    join_all(threads);
  } else if (strcmp(use, "beside") == 0) {
    start_all(threads, compute);
    right = exchange();
    done = 1;
    join_all(threads);
  } else {
    const double alone[2] = {sum_of(1), sum_of(2)};
    start_all(threads, add);
    join_all(threads);
    for (int i = 0; i < kThreads; ++i)
      right &= memcmp(&sums[i], &alone[i % 2], sizeof(double)) == 0;
  }
  MPI_Finalize();
  puts(right ? "ok" : "wrong");
  return 0;
}
