// The names of MPI-1 (heddle/mpi1.h).

#define HEDDLE_MPI1
#include <mpi.h>

#include "tests/support/ranks_test.h"

RANKS_TEST(Mpi1, TheBoundsOfATypeAreThoseOfGetExtent, ranks(1)) {
  MPI_Datatype type;
  MPI_Aint lower = 0, upper = 0, extent = 0;
  MPI_Type_create_resized(MPI_INT, -8, 24, &type);
  EXPECT_EQ(MPI_Type_lb(type, &lower), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_ub(type, &upper), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_extent(type, &extent), MPI_SUCCESS);
  EXPECT_EQ(lower, -8);
  EXPECT_EQ(upper, 16);
  EXPECT_EQ(extent, 24);
  MPI_Type_free(&type);
}

RANKS_TEST(Mpi1, ANullPointerForABoundIsAnError, ranks(1)) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  EXPECT_EQ(MPI_Type_lb(MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_ub(MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_extent(MPI_INT, nullptr), MPI_ERR_ARG);
}
