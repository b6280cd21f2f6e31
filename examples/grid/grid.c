#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, size;
int nx, ny;
int first_x, first_y;
int width, height;
int halo;

/* The ranks form a grid of their own: `columns` times `rows`, this one at (column, row). */
static int columns, rows, column, row;
static int left, right, above, below;
static MPI_Datatype border_columns, border_rows; /* as many as the halo is deep */

/* Where part `i` of `parts` of so many points begins; sizes differ by at most one. */
static int part_begin(int points, int i, int parts) {
  return (int)((long)points * i / parts);
}

static int rank_at(int c, int r, int periodic) {
  if (periodic) {
    c = (c + columns) % columns;
    r = (r + rows) % rows;
  }
  return c < 0 || c >= columns || r < 0 || r >= rows ? MPI_PROC_NULL : r * columns + c;
}

static int read_tiling(const char* name, Tiling* tiling) {
  static const char* const names[] = {"blocks", "rows", "columns"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, names[i])) continue;
    *tiling = (Tiling)i;
    return 1;
  }
  return 0;
}

/* Returns 0 if an argument is not understood, -1 to show the help only. */
static int read_options(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--help")) return -1;
    if (!strcmp(argv[i], "-n"))
      options->nx = options->ny = atoi(value);
    else if (!strcmp(argv[i], "-nx"))
      options->nx = atoi(value);
    else if (!strcmp(argv[i], "-ny"))
      options->ny = atoi(value);
    else if (!strcmp(argv[i], "-steps"))
      options->steps = atoi(value);
    else if (!strcmp(argv[i], "-dt"))
      options->dt = atof(value);
    else if (!strcmp(argv[i], "-o"))
      options->picture = value;
    else if (strcmp(argv[i], "-tiling") || !read_tiling(value, &options->tiling))
      return 0;
  }
  return options->nx >= 2 && options->ny >= 2 && options->steps >= 0 && options->dt > 0;
}

void grid_options(int argc, char** argv, Options* options) {
  const Options defaults = *options;
  const int understood = read_options(argc, argv, options);
  if (understood == 1) return;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    fprintf(understood ? stdout : stderr,
            "%s [-n POINTS] [-nx POINTS] [-ny POINTS] [-steps STEPS] [-dt DT] [-tiling TILING]\n"
            "    [-o PICTURE.pgm]\n"
            "  -n POINTS       points along each side of the grid (%d)\n"
            "  -nx POINTS, -ny POINTS  the same of one side; so the last of the three counts\n"
            "  -steps STEPS    steps in time (%d)\n"
            "  -dt DT          length of a step, or of the longest (%g)\n"
            "  -tiling TILING  a rank's points: blocks (as square as can be), rows or columns "
            "(whole ones)\n"
            "  -o FILE         write the field at the end as a picture\n",
            argv[0], defaults.nx, defaults.steps, defaults.dt);
  }
  MPI_Finalize();
  exit(understood ? 0 : 2);
}

/* How many rows the ranks form: for blocks, so many that the tiles' borders are shortest. */
static int rows_of_ranks(Tiling tiling) {
  if (tiling != BLOCKS) return tiling == ROWS ? size : 1;
  int found = 1;
  long shortest = 0;
  for (int i = 1; i <= size; i++) {
    const long border = (long)nx * i + (long)ny * (size / i);
    if (size % i || (i > 1 && border >= shortest)) continue;
    found = i;
    shortest = border;
  }
  return found;
}

void grid_create(const Options* options, int periodic, int depth_of_halo) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  nx = options->nx;
  ny = options->ny;
  halo = depth_of_halo;

  rows = rows_of_ranks(options->tiling);
  columns = size / rows;
  if (columns > nx / halo || rows > ny / halo) {
    if (rank == 0) {
      fprintf(stderr, "%d ranks so tiled need at least %d x %d points\n", size, columns * halo,
              rows * halo);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 has said why and ended the job */
  }

  column = rank % columns;
  row = rank / columns;
  first_x = part_begin(nx, column, columns);
  first_y = part_begin(ny, row, rows);
  width = part_begin(nx, column + 1, columns) - first_x;
  height = part_begin(ny, row + 1, rows) - first_y;
  left = rank_at(column - 1, row, periodic);
  right = rank_at(column + 1, row, periodic);
  above = rank_at(column, row - 1, periodic);
  below = rank_at(column, row + 1, periodic);

  MPI_Type_vector(height, halo, width + 2 * halo, MPI_DOUBLE, &border_columns);
  MPI_Type_vector(halo, width, width + 2 * halo, MPI_DOUBLE, &border_rows);
  MPI_Type_commit(&border_columns);
  MPI_Type_commit(&border_rows);
}

void grid_free(void) {
  MPI_Type_free(&border_columns);
  MPI_Type_free(&border_rows);
}

double* grid_field(void) {
  double* field = calloc((size_t)(height + 2 * halo) * (size_t)(width + 2 * halo), sizeof *field);
  if (!field) {
    fprintf(stderr, "rank %d: no memory for %d x %d points\n", rank, width, height);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return field;
}

/* A tag says in which direction a message goes: with few ranks both neighbours are the same. */
enum { TO_LEFT, TO_RIGHT, UP, DOWN };

static void begin_columns(double* field, MPI_Request requests[4]) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Irecv(&field[at(-halo, 0)], 1, border_columns, left, TO_RIGHT, comm, &requests[0]);
  MPI_Irecv(&field[at(width, 0)], 1, border_columns, right, TO_LEFT, comm, &requests[1]);
  MPI_Isend(&field[at(0, 0)], 1, border_columns, left, TO_LEFT, comm, &requests[2]);
  MPI_Isend(&field[at(width - halo, 0)], 1, border_columns, right, TO_RIGHT, comm, &requests[3]);
}

/* Rows from x on: `count` times `type`. */
static void begin_rows(double* field, int x, int count, MPI_Datatype type,
                       MPI_Request requests[4]) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Irecv(&field[at(x, -halo)], count, type, above, DOWN, comm, &requests[0]);
  MPI_Irecv(&field[at(x, height)], count, type, below, UP, comm, &requests[1]);
  MPI_Isend(&field[at(x, 0)], count, type, above, UP, comm, &requests[2]);
  MPI_Isend(&field[at(x, height - halo)], count, type, below, DOWN, comm, &requests[3]);
}

void grid_exchange(double* field) {
  MPI_Request requests[8];
  begin_columns(field, requests);
  begin_rows(field, 0, 1, border_rows, requests + 4);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* The rows go with the columns of the halo that have come before, which are the corners. */
void grid_exchange_with_corners(double* field) {
  MPI_Request requests[4];
  begin_columns(field, requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  begin_rows(field, -halo, halo * (width + 2 * halo), MPI_DOUBLE, requests);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

double grid_checksum(const double* field) {
  double mine = 0, all;
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const double weight = 1 + (double)(first_x + x) / nx + 2.0 * (first_y + y) / ny;
      mine += weight * field[at(x, y)];
    }
  }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Rank 0 receives the tiles, each as rectangle of the whole picture. */
static double* collect(const double* field) {
  MPI_Request sent;
  MPI_Datatype tile;
  double* whole = NULL;

  MPI_Type_vector(height, width, width + 2 * halo, MPI_DOUBLE, &tile);
  MPI_Type_commit(&tile);
  MPI_Isend(&field[at(0, 0)], 1, tile, 0, 0, MPI_COMM_WORLD, &sent);
  if (rank == 0) {
    whole = malloc((size_t)nx * (size_t)ny * sizeof *whole);
    if (!whole) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int from = 0; from < size; from++) {
      const int x = part_begin(nx, from % columns, columns);
      const int y = part_begin(ny, from / columns, rows);
      const int w = part_begin(nx, from % columns + 1, columns) - x;
      const int h = part_begin(ny, from / columns + 1, rows) - y;
      MPI_Datatype rectangle;
      MPI_Type_vector(h, w, nx, MPI_DOUBLE, &rectangle);
      MPI_Type_commit(&rectangle);
      MPI_Recv(&whole[(size_t)y * (size_t)nx + (size_t)x], 1, rectangle, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      MPI_Type_free(&rectangle);
    }
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Type_free(&tile);
  return whole;
}

void grid_write(const double* field, const char* path) {
  double* whole = collect(field);
  if (!whole) return;

  FILE* file = fopen(path, "wb");
  if (!file) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const size_t points = (size_t)nx * (size_t)ny;
  double low = whole[0], high = whole[0];
  for (size_t i = 0; i < points; i++) {
    if (whole[i] < low) low = whole[i];
    if (whole[i] > high) high = whole[i];
  }
  fprintf(file, "P5\n# %.6g %.6g\n%d %d\n65535\n", low, high, nx, ny);
  for (size_t i = 0; i < points; i++) {
    const unsigned grey = high > low ? (unsigned)((whole[i] - low) / (high - low) * 65535) : 0;
    putc((int)(grey >> 8), file);
    putc((int)(grey & 255), file);
  }
  if (fclose(file) != 0) perror(path);
  free(whole);
}

static long own_memory(void) {
  char line[256];
  long kib = 0;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pss: %ld", &kib) == 1) break;
  }
  fclose(file);
  return kib;
}

long grid_memory(void) {
  const int process = (int)getpid();
  int* processes = malloc((size_t)size * sizeof *processes);
  long mine = 0, all;
  if (!processes) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);

  int first = 0;
  while (processes[first] != process) first++;
  if (first == rank) mine = own_memory();
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(processes);
  return all;
}
