// The processor time of a rank: clock, CLOCK_PROCESS_CPUTIME_ID, times and getrusage count what this rank has
// used, and nothing of the others; CLOCK_THREAD_CPUTIME_ID, pthread_getcpuclockid
// and RUSAGE_THREAD what its main thread has used. The
// oracle is the kernel's clock of the whole process, which the program asks by system call.
//
//   clocks USE   (2 ranks or more; rank 0 computes, others do what USE says)
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kOfRank = 4, kClocks = 7 };  // the others are of the thread
// How much a clock may be off by its resolution, and the process by what it does between two looks.
static const double kTolerance = 0.022;

static int rank, ranks;
static long rounds;   // of work, for some 0.3 s
static double alone;  // what they take, rank 0's

static double seconds(struct timespec time) {
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double of_process(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
  return seconds(time);
}

static double of_usage(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void require(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  _exit(1);
}

static void look(double own[kClocks]) {
  struct timespec time;
  struct tms ticks;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  times(&ticks);
  own[0] = (double)clock() / CLOCKS_PER_SEC;
  own[1] = seconds(time);
  own[2] = (double)(ticks.tms_utime + ticks.tms_stime) / (double)sysconf(_SC_CLK_TCK);
  own[3] = of_usage(RUSAGE_SELF);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  own[4] = seconds(time);
  own[5] = of_usage(RUSAGE_THREAD);
  clockid_t of_thread;
  const int none = pthread_getcpuclockid(pthread_self(), &of_thread);
  require(none == 0 && clock_gettime(of_thread, &time) == 0, "a thread's clock does not answer");
  own[6] = seconds(time);
}

static void work(long count) {
  volatile double x = 1;
  for (long i = 0; i < count; ++i) x = x * 1.0000001 + 1e-9;
}

// Rank 0 alone, while the others wait.
static void calibrate(void) {
  if (rank == 0) {
    double used = 0;
    for (rounds = 100000; used < 0.05; rounds *= 2) {
      const double before = of_process();
      work(rounds);
      used = of_process() - before;
    }
    rounds = (long)((double)rounds / 2 * 0.3 / used);
    alone = of_process();
    work(rounds);
    alone = of_process() - alone;
  }
  MPI_Bcast(&rounds, 1, MPI_LONG, 0, MPI_COMM_WORLD);
}

static void* compute(void* unused) {
  work(rounds / 2);
  return unused;
}

static int calls[2];  // a pipe; its descriptors are the process's

static void use(const char* how) {
  char byte = 0;
  if (strcmp(how, "both") == 0) {
    work(rounds);
  } else if (strcmp(how, "short") == 0) {
    int token = 0;
    for (int i = 0; i < 4000; ++i) {
      if (rank == 0) work(rounds / 4000);
      MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  } else if (strcmp(how, "threads") == 0 && rank == 0) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, compute, NULL);
    double before[kClocks], after[kClocks];
    look(before);
    for (int i = 0; i < 50; ++i) {
      usleep(1000);
      look(after);
      for (int k = 0; k < kClocks; ++k) require(after[k] >= before[k], "a clock went back");
      memcpy(before, after, sizeof before);
    }
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "call") == 0 && rank != 0) {
    require(read(calls[0], &byte, 1) == 1, "nothing was read");
  } else if (strcmp(how, "sleep") == 0 && rank != 0) {
    for (int i = 0; i < 300; ++i) usleep(1000);
  } else if (rank == 0) {
    work(rounds);
    for (int i = 1; strcmp(how, "call") == 0 && i < ranks; ++i) {
      require(write(calls[1], &byte, 1) == 1, "nothing was written");
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check(const char* how, const double used[kClocks], double process) {
  double sums[kClocks], of_first[kClocks];
  MPI_Allreduce(used, sums, kClocks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  memcpy(of_first, used, sizeof of_first);
  MPI_Bcast(of_first, kClocks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int k = 0; k < kClocks; ++k) {
    char what[200];
    snprintf(what, sizeof what, "clock %d, %s: %g of %g, all ranks %g", k, how, used[k], process,
             sums[k]);
    require(sums[k] <= process + kTolerance * ranks, what);
    if (strcmp(how, "both") == 0) {
      require(used[k] > 0.5 * of_first[k] && used[k] < 2 * of_first[k], what);
      require(sums[k] > 0.5 * process, what);
    } else if (strcmp(how, "short") == 0) {  // idle workers spin, for no rank
      require(rank == 0 ? used[k] > 0.4 * alone : used[k] < 0.4 * of_first[k], what);
    } else {
      const int computes = rank == 0 && (k < kOfRank || strcmp(how, "threads") != 0);
      require(computes ? used[k] > 0.5 * process : used[k] < 0.1 * process, what);
    }
  }
}

// A child has a clock of its own, which began with it.
static void fork_and_ask(void) {
  const pid_t child = fork();
  if (child == 0) {
    double own[kClocks];
    work(rounds / 4);
    look(own);
    for (int k = 0; k < kClocks; ++k) {
      if (own[k] > of_process() + kTolerance || own[k] < of_process() - kTolerance) _exit(1);
    }
    _exit(0);
  }
  int status = 1;
  require(waitpid(child, &status, 0) == child && status == 0, "a child's clocks are wrong");
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "wait";
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &(int){0});
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  calibrate();
  if (rank == 0) require(pipe(calls) == 0, "no pipe");
  MPI_Bcast(calls, 2, MPI_INT, 0, MPI_COMM_WORLD);

  double before[kClocks], after[kClocks], used[kClocks], process = 0;
  look(before);  // the first look shares out what the process has used
  MPI_Allreduce(before, used, kClocks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  process = of_process();
  for (int k = 0; k < kClocks; ++k) {
    require((before[k] > 0 || k >= kOfRank) && used[k] <= process + kTolerance * ranks,
            "the first look is not a share");
  }
  for (int round = 0; round < 2; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = of_process();
    MPI_Barrier(MPI_COMM_WORLD);
    look(before);
    use(how);
    look(after);
    MPI_Barrier(MPI_COMM_WORLD);
    process = of_process() - began;
    MPI_Bcast(&process, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int k = 0; k < kClocks; ++k) used[k] = after[k] - before[k];
    check(how, used, process);
  }
  fork_and_ask();
  MPI_Finalize();
  puts("ok");
  return 0;
}
