/* common.h - what the programs of this folder have in common: options, threads, measuring, output.
 *
 * A program is a question. It runs bodies in all ranks, each body either in the rank's main thread
 * (`--mode processes`) or in several pthreads of the rank (`--mode threads`); whoever runs a body is
 * a Member. All members of all ranks call bench_measure() together, as with a collective:
 *
 *   start barrier of all members -> work(iterations), timed by each -> the slowest member's time
 *        ^                                                                      |
 *        +---- rank 0: so many iterations now / enough samples / time is up <---+
 *
 * The trials that find the number of iterations are the warm-up. A sample is the seconds of one
 * iteration. Rank 0 prints each result as one line of JSON.
 *
 * Rules of the folder: plain C11 and pthreads, only widely available MPI functions; a thread waits
 * in MPI or in a pthread call, never in a loop of its own; in threads mode the main thread only joins,
 * because it may be what carries other ranks. Payloads are checked; a wrong one ends the job with
 * status 3.
 */
#ifndef BENCH_THREADS_COMMON_H
#define BENCH_THREADS_COMMON_H

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_SAMPLES = 1000, BENCH_LIST = 32, BENCH_THREADS = 256 };

/* ---- options ---------------------------------------------------------------------------------- */

typedef struct {
  int count;
  long value[BENCH_LIST];
} List;

typedef enum { NUMBER, SECONDS, NUMBERS, CHOICE } OptionKind;

typedef struct {
  const char* name; /* without the dashes */
  OptionKind kind;
  void* target; /* long*, double*, List*, const char** */
  const char* help;
  const char* choices;    /* CHOICE: words separated by '|' */
  long smallest, largest; /* NUMBER, NUMBERS */
} Option;

#define WITH_LENGTH(options) (options), (int)(sizeof(options) / sizeof *(options))

typedef struct {
  const char* name;
  int rank, ranks;
  double seconds;   /* that a point is measured */
  MPI_Comm control; /* start barriers and decisions; programs do not use it while they measure */
} Bench;

/* Reads the options; what is wrong with them is said by bench_begin, by one rank. */
void bench_options(Bench* bench, int argc, char** argv, const char* name, const char* purpose,
                   const Option* options, int count);

/* Initializes MPI. Does not return after --help (status 0), a wrong argument (2), or when the
 * library has no such thread level (4); rank 0 says one sentence then. */
void bench_begin(Bench* bench, int level);

/* Ends all ranks with one sentence of rank 0 and status 2 unless `holds`; all ranks call it. */
void bench_require(const Bench* bench, int holds, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/* One sentence from this thread; ends the job with status 3. */
_Noreturn void bench_wrong(const Bench* bench, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

int bench_end(Bench* bench); /* the status of main */

static inline int is(const char* choice, const char* word) {
  return strcmp(choice, word) == 0;
}

/* The thread level that a mode needs. */
static inline int level_of(const char* mode) {
  return is(mode, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
}

/* ---- members ---------------------------------------------------------------------------------- */

typedef struct Team Team;

typedef struct {
  Bench* bench;
  Team* team;
  int thread; /* 0 in processes mode */
} Member;

typedef void Body(Member* member, void* argument);

/* Runs `body` in `threads` new threads and joins them; with 0, in the calling thread. */
void bench_run(Bench* bench, int threads, Body* body, void* argument);

/* All members of all ranks wait for each other. */
void bench_barrier(Member* member);

/* ---- measuring -------------------------------------------------------------------------------- */

typedef struct {
  int count;
  double value[BENCH_SAMPLES]; /* seconds of one iteration; only on rank 0's first member */
} Samples;

typedef void Work(Member* member, long iterations, void* argument);

void bench_measure(Member* member, Work* work, void* argument, Samples* samples);

double bench_now(void); /* seconds */

/* Adds the seconds of one piece of work that the program has timed itself. */
void bench_add(Samples* samples, double seconds);

/* ---- results ---------------------------------------------------------------------------------- */

/* How a sample becomes a figure: factor * seconds, or factor / seconds. */
typedef enum { AS_TIME, AS_RATE } Figure;

/* Prints a result; only rank 0's first member does. `format` makes the parameters: "mode=threads pairs=4". */
void bench_result(const Member* member, const Samples* samples, Figure figure, double factor,
                  const char* quantity, const char* unit, const char* format, ...)
    __attribute__((format(printf, 7, 8)));

/* The same for figures that are no times; `better` is "less" or "more". With `series`, all values
 * are printed too, in the order in which they came. */
void bench_figures(const Member* member, const double* values, int count, int series,
                   const char* quantity, const char* unit, const char* better, const char* format,
                   ...) __attribute__((format(printf, 8, 9)));

/* ---- payloads --------------------------------------------------------------------------------- */

void* bench_memory(size_t bytes); /* aligned, touched, of at least one page; ends the job if none */
void bench_fill(void* memory, size_t bytes, unsigned seed);
/* Ends the job unless the memory is what bench_fill made of this seed. */
void bench_check(const Bench* bench, const void* memory, size_t bytes, unsigned seed,
                 const char* what);

/* ---- pairs ------------------------------------------------------------------------------------ */

/* `pairs` pairs of members. Processes: rank i with rank i + pairs. Threads: thread i of rank 0 with
 * thread i of rank 1. Each pair has a tag; and, with `own`, a communicator for itself. */
typedef struct {
  int pairs, threads; /* threads: of each rank, for bench_run; 0 in processes mode */
  int own;
  MPI_Comm comm[BENCH_THREADS];
} Pairs;

typedef struct {
  int index, peer, first; /* first: the one of rank 0 or of the lower ranks */
  MPI_Comm comm;
} Side;

void pairs_begin(Pairs* pairs, const Bench* bench, const char* mode, long count, const char* comms);
Side pairs_side(const Pairs* pairs, const Member* member);
void pairs_end(Pairs* pairs);

#define PAIR_OPTIONS(mode, count, comms)                                                           \
  {"mode", CHOICE, &(mode), "pairs of processes, or of threads of two ranks", "processes|threads", \
   0,      0},                                                                                     \
      {"pairs", NUMBER, &(count), "how many pairs talk at the same time", 0, 1, BENCH_THREADS}, {  \
    "comms", CHOICE, &(comms), "threads: one communicator for all pairs, or one for each",         \
        "shared|own", 0, 0                                                                         \
  }

#endif
