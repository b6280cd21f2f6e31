/* object_churn - how fast do objects come and go, with several threads at once, and what memory do
 * they keep? Each thread makes and frees objects of its own, in one rank:
 *
 *   comm     MPI_Comm_dup of a private communicator       comm-used  with a message to itself on the
 *   type     a vector type, committed                                way when it is freed
 *   op       MPI_Op_create                                type-used  the same with a type
 *   group    MPI_Comm_group, MPI_Group_incl               request    MPI_Recv_init, MPI_Request_free
 */
#include <unistd.h>

#include "common.h"

enum { LIVE = 500, COUNT = 16 };

static const char* kind = "type";
static long threads = 1;

typedef struct {
  const Bench* bench;
  MPI_Comm comm; /* of this thread only */
  long made;     /* objects */
  int out[2 * COUNT], in[2 * COUNT];
} Maker;

/* An object of some class. */
typedef union {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Group group;
  MPI_Request request;
} Object;

static Maker makers[BENCH_THREADS];

static void no_operation(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
}

static void make(Maker* maker, Object* object) {
  maker->made++;
  if (strncmp(kind, "comm", 4) == 0) {
    MPI_Comm_dup(maker->comm, &object->comm);
  } else if (strncmp(kind, "type", 4) == 0) {
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &object->type);
    MPI_Type_commit(&object->type);
  } else if (is(kind, "op")) {
    MPI_Op_create(no_operation, 1, &object->op);
  } else if (is(kind, "group")) {
    const int self = 0;
    MPI_Group all;
    MPI_Comm_group(maker->comm, &all);
    MPI_Group_incl(all, 1, &self, &object->group);
    MPI_Group_free(&all);
  } else {
    MPI_Recv_init(maker->in, 1, MPI_INT, 0, 0, maker->comm, &object->request);
  }
}

static void unmake(Object* object) {
  if (strncmp(kind, "comm", 4) == 0)
    MPI_Comm_free(&object->comm);
  else if (strncmp(kind, "type", 4) == 0)
    MPI_Type_free(&object->type);
  else if (is(kind, "op"))
    MPI_Op_free(&object->op);
  else if (is(kind, "group"))
    MPI_Group_free(&object->group);
  else
    MPI_Request_free(&object->request);
}

/* Frees the object between the start and the end of a message that needs it. */
static void use_and_unmake(Maker* maker, Object* object) {
  const int typed = is(kind, "type-used");
  MPI_Datatype type = typed ? object->type : MPI_INT;
  MPI_Comm comm = typed ? maker->comm : object->comm;
  MPI_Request requests[2];
  const int value = (int)maker->made;
  memset(maker->in, 0, sizeof maker->in);
  maker->out[0] = value;
  MPI_Irecv(maker->in, 1, type, 0, 1, comm, &requests[0]);
  MPI_Isend(maker->out, 1, type, 0, 1, comm, &requests[1]);
  unmake(object);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  const int last = 2 * (COUNT - 1);
  if (maker->in[0] != value || (typed && maker->in[last] != maker->out[last]) || maker->in[1] != 0)
    bench_wrong(maker->bench, "a message of a freed object brought %d, %d, not %d, %d",
                maker->in[0], maker->in[last], value, maker->out[last]);
}

static void churn(Member* member, long iterations, void* argument) {
  Maker* maker = argument;
  const int used = strstr(kind, "-used") != NULL;
  Object object;
  (void)member;
  for (long i = 0; i < iterations; i++) {
    make(maker, &object);
    if (used)
      use_and_unmake(maker, &object);
    else
      unmake(&object);
  }
}

/* Bytes of memory that the process holds. */
static double resident(void) {
  long whole, pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &whole, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static long all_made(void) {
  long sum = 0;
  for (long i = 0; i < threads; i++) sum += makers[i].made;
  return sum;
}

/* Bytes that an object takes while it lives, with LIVE of them in each thread. */
static double live_bytes(Member* member, Maker* maker) {
  static Object live[BENCH_THREADS][LIVE];
  const double before = resident();
  bench_barrier(member);
  for (int i = 0; i < LIVE; i++) make(maker, &live[member->thread][i]);
  bench_barrier(member);
  const double after = resident();
  bench_barrier(member);
  for (int i = 0; i < LIVE; i++) unmake(&live[member->thread][i]);
  bench_barrier(member);
  return (after - before) / (double)(LIVE * threads);
}

static void body(Member* member, void* argument) {
  static Samples samples; /* touched by the first member only */
  Maker* maker = &makers[member->thread];
  (void)argument;
  maker->bench = member->bench;
  for (int i = 0; i < 2 * COUNT; i++) maker->out[i] = i;
  const double live = live_bytes(member, maker);
  const long made_before = all_made();
  bench_barrier(member);
  const double before = resident();
  bench_measure(member, churn, maker, &samples);
  bench_barrier(member);
  const double held = resident() - before;
  const double kept = held / (double)(all_made() - made_before), held_kib = held / 1024;
  bench_result(member, &samples, AS_RATE, (double)threads, "objects", "1/s", "kind=%s threads=%ld",
               kind, threads);
  bench_figures(member, &(Quantity){"memory of a live object", "bytes", "less", "single", 0, 0, 0},
                &live, 1, "kind=%s threads=%ld", kind, threads);
  bench_figures(member,
                &(Quantity){"memory kept of a freed object", "bytes", "less", "single", 0, 0, 0},
                &kept, 1, "kind=%s threads=%ld", kind, threads);
  bench_figures(member, &(Quantity){"memory held back", "KiB", "less", "single", 0, 0, 0},
                &held_kib, 1, "kind=%s threads=%ld", kind, threads);
}

int main(int argc, char** argv) {
  const Option options[] = {
      {"kind", CHOICE, &kind, "what is made and freed",
       "comm|comm-used|type|type-used|op|group|request", 0, 0},
      {"threads", NUMBER, &threads, "threads that do so at the same time", NULL, 1, BENCH_THREADS}};
  Bench bench;
  bench_options(&bench, argc, argv, "object_churn",
                "how fast objects come and go, and what memory they keep (1 rank)",
                WITH_LENGTH(options));
  bench_begin(&bench, MPI_THREAD_MULTIPLE);
  bench_require(&bench, bench.ranks == 1, "wants 1 rank, and there are %d (mpiexec -n 1)",
                bench.ranks);
  for (long i = 0; i < threads; i++) MPI_Comm_dup(MPI_COMM_SELF, &makers[i].comm);
  bench_run(&bench, (int)threads, body, NULL);
  for (long i = 0; i < threads; i++) MPI_Comm_free(&makers[i].comm);
  return bench_end(&bench);
}
