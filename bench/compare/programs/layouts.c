/* Data that is not adjacent, microseconds each; the argument says what is done with it:
 *
 *   pack    MPI_Pack, by each rank for itself
 *   unpack  MPI_Unpack
 *   send    half of a round trip between two ranks; both sides have the layout
 *
 * Layouts: vector_S, single doubles, every S-th; blocks_B, B doubles with a gap of as many; face_D, what a cube with ghost cells
 * sends across dimension D (2: single doubles); indexed, 1 to 15 doubles with gaps of 1 to 15; struct, an array of structs with
 * gaps. A result's name has the layout and about how many bytes of data it has.
 *
 * A layout that would be longer than MOST_EXTENT is left out. A cube that would be is a box, which is less deep in the
 * dimension that the face lies across. Before it measures, each rank compares what has come with what a list of runs says, which
 * is written down without MPI; it ends the job if they differ. */
#include <stddef.h>
#include <string.h>

#include "measure.h"

#define MOST_EXTENT (512L << 20)

struct run {
  long at, bytes;
};
static struct run* runs; /* in packed order; none are neighbors */
static long run_count, most_runs;

static void add_run(long at, long bytes) {
  if (run_count == most_runs) {
    most_runs = most_runs ? 2 * most_runs : 1024;
    runs = realloc(runs, (size_t)most_runs * sizeof *runs);
  }
  runs[run_count].at = at;
  runs[run_count++].bytes = bytes;
}

static MPI_Datatype type;
static int count; /* elements of the type */

/* Each makes the type and the list of its runs for about `bytes` of data, and tells how long it is in memory. */

static long make_vector(long bytes, int length, int stride) {
  const int blocks = (int)(bytes / 8 / length);
  for (int i = 0; i < blocks; i++) add_run(8L * i * stride, 8L * length);
  MPI_Type_vector(blocks, length, stride, MPI_DOUBLE, &type);
  count = 1;
  return 8L * blocks * stride;
}

static long make_face(long bytes, int across, int unused) {
  (void)unused;
  int side = 1;
  while (8L * (side + 1) * (side + 1) <= bytes) side++;
  const int whole = side + 2;
  const long deepest = MOST_EXTENT / 8 / ((long)whole * whole);
  const int deep = deepest < whole ? (int)deepest : whole;
  int sizes[3] = {whole, whole, whole}, subsizes[3] = {side, side, side}, starts[3] = {1, 1, 1};
  sizes[across] = deep;
  subsizes[across] = 1;
  for (int i = 1; i <= subsizes[0]; i++) {
    for (int j = 1; j <= subsizes[1]; j++) {
      const long row = ((long)i * sizes[1] + j) * sizes[2] + 1;
      add_run(8 * row, 8L * subsizes[2]);
    }
  }
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  count = 1;
  return 8L * sizes[0] * sizes[1] * sizes[2];
}

static long make_indexed(long bytes, int unused, int unused_too) {
  (void)unused, (void)unused_too;
  const int most = (int)(bytes / 8);
  int *lengths = malloc((size_t)most * sizeof(int)), *places = malloc((size_t)most * sizeof(int));
  int blocks = 0, at = 0;
  unsigned random = 1;
  for (int left = most; left > 0; blocks++) {
    random = random * 1103515245U + 12345U;
    int length = 1 + (int)((random >> 16) % 15);
    if (length > left) length = left;
    lengths[blocks] = length;
    places[blocks] = at;
    add_run(8L * at, 8L * length);
    at += length + 1 + (int)((random >> 24) % 15);
    left -= length;
  }
  MPI_Type_indexed(blocks, lengths, places, MPI_DOUBLE, &type);
  free(lengths);
  free(places);
  count = 1;
  return 8L * at;
}

struct particle {
  int kind; /* a gap follows */
  double place[3];
  char label[5]; /* and here */
};

static long make_struct(long bytes, int unused, int unused_too) {
  (void)unused, (void)unused_too;
  const int lengths[] = {1, 3, 5};
  const MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                             offsetof(struct particle, label)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  count = (int)(bytes / (4 + 24 + 5));
  for (int i = 0; i < count; i++) {
    const long at = i * (long)sizeof(struct particle);
    add_run(at + places[0], 4);
    add_run(at + places[1], 24 + 5);
  }
  MPI_Datatype packed;
  MPI_Type_create_struct(3, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(struct particle), &type);
  MPI_Type_free(&packed);
  return count * (long)sizeof(struct particle);
}

static const struct {
  const char* name;
  long (*make)(long bytes, int, int);
  int first, second;
} kLayouts[] = {{"vector_2", make_vector, 1, 2},       {"vector_128", make_vector, 1, 128},
                {"vector_1024", make_vector, 1, 1024}, {"blocks_8", make_vector, 8, 16},
                {"blocks_64", make_vector, 64, 128},   {"face_0", make_face, 0, 0},
                {"face_1", make_face, 1, 0},           {"face_2", make_face, 2, 0},
                {"indexed", make_indexed, 0, 0},       {"struct", make_struct, 0, 0}};
static const int kDataSizes[] = {1 << 10, 16 << 10, 256 << 10, 4 << 20, 16 << 20, -1};

static int rank;
static char *data, *packed; /* data: `extent` bytes, of which those of the runs are written */
static long extent;
static int packed_bytes;

static void pack(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    int position = 0;
    MPI_Pack(data, count, type, packed, packed_bytes, &position, MPI_COMM_WORLD);
  }
}

static void unpack(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    int position = 0;
    MPI_Unpack(packed, packed_bytes, &position, data, count, type, MPI_COMM_WORLD);
  }
}

static void send(long iterations, void* argument) {
  (void)argument;
  for (long i = 0; i < iterations; i++) {
    if (rank == 0) MPI_Send(data, count, type, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(data, count, type, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, count, type, 0, 1, MPI_COMM_WORLD);
  }
}

/* What byte `position` of the data is; never 0. */
static char expected(long position) {
  return (char)(1 + position * 7 % 251);
}

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: wrong data after %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill_runs(int with_zeros) {
  long position = 0;
  for (long i = 0; i < run_count; i++) {
    for (long j = 0; j < runs[i].bytes; j++, position++) {
      data[runs[i].at + j] = with_zeros ? 0 : expected(position);
    }
  }
}

/* The runs hold what is expected, and the bytes beside them are still 0. */
static void check_runs(const char* what) {
  long position = 0;
  int right = 1;
  for (long i = 0; i < run_count; i++) {
    const long at = runs[i].at, end = at + runs[i].bytes;
    for (long j = at; j < end; j++, position++) right &= data[j] == expected(position);
    if (at > 0) right &= data[at - 1] == 0;
    if (end < extent) right &= data[end] == 0;
  }
  check(right, what);
}

static void check_pack(void) {
  fill_runs(0);
  pack(1, NULL);
  int right = 1;
  for (long i = 0; i < packed_bytes; i++) right &= packed[i] == expected(i);
  check(right, "MPI_Pack");
}

static void check_unpack(void) {
  for (long i = 0; i < packed_bytes; i++) packed[i] = expected(i);
  unpack(1, NULL);
  check_runs("MPI_Unpack");
}

static void check_send(void) {
  fill_runs(rank == 1);
  if (rank == 0) {
    MPI_Send(data, count, type, 1, 1, MPI_COMM_WORLD);
    fill_runs(1);
    MPI_Recv(data, count, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_runs("the way back");
  } else {
    MPI_Recv(data, count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_runs("the way there");
    MPI_Send(data, count, type, 0, 1, MPI_COMM_WORLD);
  }
}

static void measure_layout(const char* name, int bytes, void (*body)(long, void*),
                           void (*check_first)(void)) {
  MPI_Type_commit(&type);
  packed_bytes = 0; /* no header or padding comes with it: there is one kind of machine */
  for (long i = 0; i < run_count; i++) packed_bytes += (int)runs[i].bytes;
  data = calloc(1, (size_t)extent);
  packed = malloc((size_t)packed_bytes);
  check_first();
  const int trips = body == send;
  const double seconds = seconds_each(body, NULL, 0.02);
  if (rank == 0) printf("RESULT %s_%d %.6g\n", name, bytes, seconds / (trips ? 2 : 1) * 1e6);
  fflush(stdout);
  free(data);
  free(packed);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* what = argc > 1 ? argv[1] : "pack";
  void (*body)(long, void*) = strcmp(what, "send") == 0     ? send
                              : strcmp(what, "unpack") == 0 ? unpack
                                                            : pack;
  void (*check_first)(void) = body == send     ? check_send
                              : body == unpack ? check_unpack
                                               : check_pack;
  for (size_t i = 0; i < sizeof kLayouts / sizeof *kLayouts; i++) {
    for (int j = 0; kDataSizes[j] >= 0; j++) {
      run_count = 0;
      extent = kLayouts[i].make(kDataSizes[j], kLayouts[i].first, kLayouts[i].second);
      if (extent <= MOST_EXTENT) measure_layout(kLayouts[i].name, kDataSizes[j], body, check_first);
      MPI_Type_free(&type);
    }
  }
  MPI_Finalize();
  return 0;
}
