/* grid.h - a rectangular grid of points, dealt out to the ranks as rectangular tiles: blocks as square as the
 * number of ranks allows, or stripes of whole rows or columns.
 *
 *        nx points                    tile of one rank, with its halo
 *   +-------+-------+                    . . . . . .
 *   | rank 0| rank 1|                    . * * * * .      * own points
 *   +-------+-------+  ny points         . * * * * .      . copies of the neighbours' border points
 *   | rank 2| rank 3|                    . * * * * .
 *   +-------+-------+                    . . . . . .
 *
 * The halo is one point deep here; a program says how deep it needs it. A field is an array of
 * (height + 2 halo) rows of (width + 2 halo) numbers. The exchanges fill its halo.
 */
#ifndef GRID_H
#define GRID_H

#include <mpi.h>
#include <stddef.h>

/* Of this rank: ordinary global variables, one set for each. */
extern int rank, size;       /* in MPI_COMM_WORLD */
extern int nx, ny;           /* points of the whole grid, along x and y */
extern int first_x, first_y; /* where the tile begins */
extern int width, height;    /* of the tile */
extern int halo;             /* how many points deep it is, on each side */

typedef enum { BLOCKS, ROWS, COLUMNS } Tiling;

/* The options that every program here has: -n POINTS, -nx POINTS, -ny POINTS, -steps STEPS, -dt DT,
 * -tiling TILING, -o PICTURE.pgm, --help. */
typedef struct {
  int nx, ny;          /* points along the sides of the grid */
  int steps;           /* in time */
  double dt;           /* one of them; or the longest, where the program chooses it */
  const char* picture; /* file for the field at the end, or NULL */
  Tiling tiling;
} Options;

/* Reads the command line into `options`, which hold the defaults. When the job cannot or need not go on
 * (--help), ends MPI and the rank. */
void grid_options(int argc, char** argv, Options* options);

/* Index of the tile's point (x, y). The halo is below 0, and from width (height) on. */
static inline size_t at(int x, int y) {
  return (size_t)(y + halo) * (size_t)(width + 2 * halo) + (size_t)(x + halo);
}

/* Deals out the grid. `periodic`: the left neighbour of the leftmost tile is the rightmost. Ends
 * the job with a sentence if a tile would have fewer points than a neighbour's halo takes. */
void grid_create(const Options* options, int periodic, int depth_of_halo);
void grid_free(void);

/* A field of zeros. */
double* grid_field(void);

/* Copies the border points of the neighbours' tiles into the halo, but for its corners. */
void grid_exchange(double* field);

/* Fills the corners as well. They come from tiles that are no neighbours, by way of those that are. */
void grid_exchange_with_corners(double* field);

/* Sum over all points of all ranks of value times a weight that tells places apart. */
double grid_checksum(const double* field);

/* Rank 0 collects the field and writes it as a grey picture (PGM, 16 bit). */
void grid_write(const double* field, const char* path);

/* Memory of all processes of the job (PSS) in KiB; a process that runs several ranks counts once.
 * 0 where /proc does not tell. Every rank must call it. */
long grid_memory(void);

#endif
