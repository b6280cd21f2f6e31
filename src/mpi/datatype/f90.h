// f90.h — datatypes by the precision and range that a Fortran program asks for (MPI 5.0 §19.1.9).
//
//   MPI_Type_create_f90_real(p, r)  ──► the smallest kind of gfortran that has p digits and the
//                                       exponents to 10^r: kinds 4, 8, 10 and 16
//
// Such a type is predefined but has no name: it is committed, the program cannot free it, and it
// tells p and r in its contents. Each rank keeps the types that it has made until it ends, and
// gives the same one for the same p and r.
//
// Thread safety: any strand of the rank.

#pragma once

#include "base/error.h"
#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

// The caller gets a reference. `precision` or `range` may be MPI_UNDEFINED, but not both.
Error make_f90_real(int precision, int range, Datatype** out);
Error make_f90_complex(int precision, int range, Datatype** out);
Error make_f90_integer(int range, Datatype** out);

}  // namespace heddle::datatype
