/* host.h - how mpiexec's host executable hands a job to libmpi_abi.so.1.
 *
 * mpiexec parses its arguments and execs heddle-host, which fills this structure and calls
 * heddle_host_main. The call runs every rank of the job and returns the job's exit status: that of
 * the first rank that failed, or 0.
 *
 * Not an interface for programs: both sides are of one release.
 */
#ifndef HEDDLE_HOST_H
#define HEDDLE_HOST_H

#ifdef __cplusplus
extern "C" {
#endif

/* One `mpiexec … : …` section: `ranks` copies of one program. */
struct heddle_program {
  int ranks;
  const char* path; /* of the executable, absolute */
  int argc;
  char* const* argv;             /* argc strings and a null; argv[0] as the user wrote it */
  char* const* environment;      /* NAME=value strings and a null, on top of the host's own */
  const char* working_directory; /* absolute */
};

enum heddle_binding { HEDDLE_BIND_CORE = 0, HEDDLE_BIND_NONE = 1 };

struct heddle_job {
  int program_count;
  const struct heddle_program* programs; /* ranks are numbered through them in order */
  int workers;                           /* 0: one for each core that the job may use */
  enum heddle_binding binding;
  const char*
      map_by; /* ranks go in turn to each core, l3cache, numa node or socket; null: in blocks to the workers */
  int rank_by_fill;        /* and are numbered part by part */
  int report_bindings;     /* print where they go */
  int no_deadlock_check;   /* do not look whether all ranks wait for each other */
  int timeout;             /* seconds after which the job is ended, with a report; 0: none */
  int balance;             /* move ranks where loads of workers are uneven */
  int label_lines;         /* put "[rank] " before each line of output */
  int hosts;               /* 0: this process is the job; else how many of them are, one a node */
  const int* host_of_rank; /* for all ranks; null: in blocks, evenly */
  const char* const* shared_libraries; /* names and a null: not private to ranks; may be null */
};

/* The library that the process must be started with (LD_PRELOAD) before heddle_host_main, or null: an
 * allocator that a program of the job brings along. Stays until the process ends. */
__attribute__((visibility("default"))) const char* heddle_host_allocator(
    const struct heddle_job* job);

__attribute__((visibility("default"))) int heddle_host_main(const struct heddle_job* job);

#ifdef __cplusplus
}
#endif

#endif
