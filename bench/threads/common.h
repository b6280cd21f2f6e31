/* common.h - what the programs of this folder have in common: options, threads, measuring, output.
 *
 * A program is a question. It runs bodies in all ranks, each body either in the rank's main thread
 * (`--mode processes`) or in several pthreads of the rank (`--mode threads`); a thread that runs a
 * body is a Member. All members of all ranks call bench_measure() together, as with a collective:
 *
 *   start barrier of all members -> work(iterations), timed by each -> the slowest member's time
 *        ^                                                                      |
 *        +---- rank 0: so many iterations now / enough samples / time is up <---+
 *
 * The trials that find the number of iterations are the warm-up; they go on until --warmup is over.
 * A sample is the seconds of one iteration: the mean of a batch of iterations. Rank 0 prints each
 * result as a row of a table, or as one line of JSON.
 *
 * Files: options.c reads arguments, binding.c says where the members run, measure.c runs and times
 * them, payload.c makes and checks what they send, pairs.c pairs senders with receivers, output.c prints.
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

enum { BENCH_SAMPLES = 1000, BENCH_LIST = 64, BENCH_THREADS = 256 };

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

#define LEVELS "single|funneled|serialized|multiple"

#define SIZES_OPTION(list, least) \
  { "sizes", NUMBERS, &(list), "bytes of a message", NULL, least, 1L << 28 }

typedef struct {
  const char* name;
  int rank, ranks;
  int level;            /* that MPI_Init_thread was asked for; after MPI_Init, what there is */
  double seconds;       /* that a point is measured */
  double warmup;        /* before the first point; a fifth of it before each other one */
  long fewest, repeats; /* samples of a point; attempts after the first */
  const char* bind;     /* auto|none */
  const char* output;   /* table|json */
  MPI_Comm control;    /* start barriers and decisions; programs do not use it while they measure */
  MPI_Comm node;       /* the ranks of this node */
  const char* rank_is; /* process|thread */
  const char* binding; /* cores|none|library: see binding.c */
  int strands, cores;  /* members that run at the same time on this node; CPUs that they may use */
  int first_strand;    /* of this rank, among those of the node */
  int measured;        /* points so far, on rank 0 */
} Bench;

/* Reads the options; what is wrong with them is said by bench_begin, by one rank. */
void bench_options(Bench* bench, int argc, char** argv, const char* name, const char* purpose,
                   const Option* options, int count);

/* Initializes MPI. Does not return after --help (status 0), a wrong argument (2), or when the
 * library has no such thread level (4); rank 0 says one sentence then. */
void bench_begin(Bench* bench, int level);
enum { BY_MPI_INIT = -1 }; /* in place of a level: by MPI_Init */

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
  int rated; /* how many times its own rate counts in a sum of rates; 1 unless the body says otherwise */
} Member;

typedef void Body(Member* member, void* argument);

/* Runs `body` in `threads` new threads and joins them; with 0, in the calling thread. All ranks call
 * it. Where the members of a node fit its cores, each is bound to one (binding.c). */
void bench_run(Bench* bench, int threads, Body* body, void* argument);

/* All members of all ranks wait for each other; or those of this rank only. */
void bench_barrier(Member* member);
void bench_team_barrier(Member* member);

/* ---- binding ---------------------------------------------------------------------------------- */

/* Finds out what ranks are, which cores they have, and whether `threads` of each rank fit. */
void binding_plan(Bench* bench, int threads);
/* Binds the calling thread to the core of this member, if the plan says so. */
void binding_apply(const Bench* bench, int thread);

/* ---- measuring -------------------------------------------------------------------------------- */

enum { FLAG_SLICES = 1, FLAG_TWO_MODES = 2, FLAG_FEW = 4 };

/* The samples of a point; only on rank 0's first member. */
typedef struct {
  int count, flags, repeats;
  long batch;                  /* iterations of a sample */
  double value[BENCH_SAMPLES]; /* seconds of one iteration of the slowest member */
  double rate[BENCH_SAMPLES];  /* iterations a second of all rated members together */
} Samples;

typedef void Work(Member* member, long iterations, void* argument);

void bench_measure(Member* member, Work* work, void* argument, Samples* samples);

double bench_now(void); /* seconds */

/* The flags of samples that a program has taken itself: two modes, few. */
int bench_doubts(const Bench* bench, const double* values, int count);

/* Adds the seconds of one piece of work that the program has timed itself. */
void bench_add(Samples* samples, double seconds);

/* ---- results ---------------------------------------------------------------------------------- */

/* How a sample becomes a figure: factor * seconds, factor / seconds, or factor * sum of own rates. */
typedef enum { AS_TIME, AS_RATE, AS_SUM_OF_RATES } Figure;

/* Prints a result; only rank 0's first member does. `format` makes the parameters: "mode=threads pairs=4". */
void bench_result(const Member* member, const Samples* samples, Figure figure, double factor,
                  const char* quantity, const char* unit, const char* format, ...)
    __attribute__((format(printf, 7, 8)));

/* What other values are. `better` is less or more; `statistic` is what the line's median is of:
 * median (of single events), median of batches, mean, or single (one value). With `series`, all
 * values are printed too, in the order in which they came. */
typedef struct {
  const char *quantity, *unit, *better, *statistic;
  int series, flags;
  long batch; /* iterations of a sample; 0: there are none */
} Quantity;

void bench_figures(const Member* member, const Quantity* quantity, const double* values, int count,
                   const char* format, ...) __attribute__((format(printf, 5, 6)));

const char* bench_level_name(int level);

double bench_median(const double* values, int count);

/* ---- payloads --------------------------------------------------------------------------------- */

void* bench_memory(size_t bytes); /* aligned, touched, of at least one page; ends the job if none */

/* Buffers of messages of one member in one direction: `slots` of them, used in turn. Each message
 * carries its number in its first and last four bytes (the first ones only if there are fewer than
 * eight), written just before it is sent and checked just after it was received; what lies between is a pattern, which
 * buffers_check compares at the end. */
typedef struct {
  char* base;
  size_t size, stride;
  unsigned slots, number, seed; /* number: of the next message */
  size_t block; /* not 0: every second block of so many bytes is a hole of the datatype */
} Buffers;

#define BUFFERS_OPTION(choice)                                                                  \
  {                                                                                             \
    "buffers", CHOICE, &(choice),                                                               \
        "the same few buffers again and again, or more than caches hold", "cached|memory", 0, 0 \
  }

/* `slots` buffers, or with "memory" so many that those of `members` members do not fit any cache. */
void buffers_begin(Buffers* buffers, size_t size, unsigned slots, const char* kind, int members,
                   unsigned seed);
void buffers_fill(Buffers* buffers); /* with the pattern of its seed: the sender's */
/* Ends the job unless all slots that got a message hold the pattern. */
void buffers_check(const Bench* bench, const Buffers* buffers);
void buffers_end(Buffers* buffers);

static inline char* buffers_slot(const Buffers* b, unsigned number) {
  return b->base + (size_t)(number % b->slots) * b->stride;
}

/* The bytes of a number at the end of a message: a short one has only those at its beginning. */
static inline size_t bench_last_bytes(size_t size) {
  return size >= 2 * sizeof(unsigned) ? sizeof(unsigned) : 0;
}

static inline void bench_stamp(char* at, size_t size, unsigned number) {
  const size_t last = bench_last_bytes(size);
  if (size >= sizeof number)
    memcpy(at, &number, sizeof number);
  else
    memcpy(at, &number, size);
  if (last) memcpy(at + size - sizeof number, &number, sizeof number);
}

_Noreturn void bench_wrong_stamp(const Bench* bench, const char* at, size_t size, unsigned number);

static inline void bench_check_stamp(const Bench* bench, const char* at, size_t size,
                                     unsigned number) {
  const size_t last = bench_last_bytes(size);
  if (memcmp(at, &number, size < sizeof number ? size : sizeof number) ||
      (last && memcmp(at + size - sizeof number, &number, sizeof number)))
    bench_wrong_stamp(bench, at, size, number);
}

/* The buffer of the next message, stamped. */
static inline char* buffers_next(Buffers* b) {
  char* at = buffers_slot(b, b->number);
  bench_stamp(at, b->size, b->number++);
  return at;
}

/* Checks the message that is next, in the slot that was its. */
static inline void buffers_received(const Bench* bench, Buffers* b) {
  bench_check_stamp(bench, buffers_slot(b, b->number), b->size, b->number);
  b->number++;
}

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

/* What a member of a pair sends and receives in a ping-pong: exchange_ping_pong is the Work that plays
 * it, exchange_send and exchange_receive are its halves. */
typedef struct {
  Side side;
  Buffers out, in;
} Exchange;

void exchange_begin(Exchange* exchange, const Pairs* pairs, const Member* member, size_t size,
                    const char* buffers);
void exchange_send(Exchange* exchange);
void exchange_receive(const Bench* bench, Exchange* exchange);
void exchange_ping_pong(Member* member, long iterations, void* exchange);
void exchange_end(const Bench* bench, Exchange* exchange); /* checks what came */

#define MODE_OPTION(mode)                                                                          \
  {                                                                                                \
    "mode", CHOICE, &(mode), "members are processes, or threads of ranks", "processes|threads", 0, \
        0                                                                                          \
  }

#define PAIR_OPTIONS(mode, count, comms)                                                           \
  MODE_OPTION(mode),                                                                               \
      {"pairs", NUMBER, &(count), "how many pairs talk at the same time", NULL, 1, BENCH_THREADS}, \
  {                                                                                                \
    "comms", CHOICE, &(comms), "threads: one communicator for all pairs, or one for each",         \
        "shared|own", 0, 0                                                                         \
  }

#endif
