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
 * A field is an array of (height + 2) rows of (width + 2) numbers. grid_exchange() fills its halo.
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

/* Index of the tile's point (x, y); -1 and width (height) are the halo. */
static inline size_t at(int x, int y) {
  return (size_t)(y + 1) * (size_t)(width + 2) + (size_t)(x + 1);
}

/* Deals out the grid. `periodic`: the left neighbour of the leftmost tile is the rightmost. Ends
 * the job with a sentence if there are more ranks than can have a point each. */
void grid_create(const Options* options, int periodic);
void grid_free(void);

/* A field of zeros. */
double* grid_field(void);

/* Copies the border points of the neighbours' tiles into the halo. */
void grid_exchange(double* field);

/* Sum over all points of all ranks of value times a weight that tells places apart. */
double grid_checksum(const double* field);

/* Rank 0 collects the field and writes it as a grey picture (PGM, 16 bit). */
void grid_write(const double* field, const char* path);

/* Memory of all processes of the job (PSS) in KiB; a process that runs several ranks counts once.
 * 0 where /proc does not tell. Every rank must call it. */
long grid_memory(void);

#endif
