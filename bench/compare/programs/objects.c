/* Making and freeing objects, and calls that do little, microseconds each; the argument says which:
 *
 *   communicators  a duplicate and its end; sixteen parts and their end
 *   calls          what needs no other rank */
#include <string.h>

#include "measure.h"

enum { MOST = 1024 };
static double numbers[MOST], sums[MOST];
static int whole[MOST], least[MOST];
static int rank, key;

static void dup(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
}

static void split(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 16, rank, &comm);
  MPI_Comm_free(&comm);
}

static void attribute(void) {
  void* value;
  int found;
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
  MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &found);
}

static void group(void) {
  const int first = 0;
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &first, &one);
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

static void type(void) {
  MPI_Datatype vector;
  MPI_Type_vector(8, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_free(&vector);
}

static void iprobe(void) {
  int found;
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

static void proc_null(void) {
  MPI_Sendrecv(numbers, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, sums, 1, MPI_DOUBLE, MPI_PROC_NULL, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sum(void) {
  MPI_Reduce_local(numbers, sums, MOST, MPI_DOUBLE, MPI_SUM);
}
static void minimum(void) {
  MPI_Reduce_local(whole, least, MOST, MPI_INT, MPI_MIN);
}

static void repeat(long iterations, void* operation) {
  void (**call)(void) = operation;
  for (long i = 0; i < iterations; i++) (*call)();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char* name, void (*call)(void)) {
  const double microseconds = seconds_each(repeat, &call, 0.04) * 1e6;
  if (rank == 0) printf("RESULT %s %.6g\n", name, microseconds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && strcmp(argv[1], "communicators") == 0) {
    measure("dup_free", dup);
    measure("split_free", split);
  } else {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    measure("attribute_set_get", attribute);
    measure("group_incl_free", group);
    measure("type_vector_commit_free", type);
    measure("iprobe", iprobe);
    measure("sendrecv_proc_null", proc_null);
    measure("reduce_local_1024_doubles", sum);
    measure("reduce_local_1024_ints_min", minimum);
    MPI_Comm_free_keyval(&key);
  }
  MPI_Finalize();
  return 0;
}
