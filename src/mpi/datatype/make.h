// make.h — the constructors of derived datatypes (MPI 5.0 §5.1.2 to §5.1.4, §5.1.7, §5.1.10).
//
// `large` says that the program made the call for large counts; MPI_Type_get_envelope reports it.
// The new type comes with one reference, the caller's. Counts and block lengths have been checked
// before (api/); these functions check the other arguments.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/datatype/datatype.h"
#include "mpi/object/count_array.h"

namespace heddle::datatype {

using object::CountArray;

Error make_contiguous(bool large, MPI_Count count, Datatype* old, Datatype** out);
// Strides in elements of `old` or in bytes.
Error make_vector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                  Datatype* old, Datatype** out);
Error make_hvector(bool large, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                   Datatype* old, Datatype** out);

// Displacements in elements of `old` or in bytes.
Error make_indexed(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                   Datatype* old, Datatype** out);
Error make_hindexed(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                    Datatype* old, Datatype** out);
Error make_indexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                         CountArray displacements, Datatype* old, Datatype** out);
Error make_hindexed_block(bool large, MPI_Count count, MPI_Count blocklength,
                          CountArray displacements, Datatype* old, Datatype** out);

Error make_struct(bool large, MPI_Count count, CountArray blocklengths, CountArray displacements,
                  const MPI_Datatype* types, Datatype** out);

Error make_resized(bool large, Datatype* old, MPI_Count lower, MPI_Count extent, Datatype** out);
// Copies attributes by their callbacks; may switch.
Error make_dup(Datatype* old, Datatype** out);

Error make_subarray(bool large, int ndims, CountArray sizes, CountArray subsizes, CountArray starts,
                    int order, Datatype* old, Datatype** out);
Error make_darray(bool large, int size, int rank, int ndims, CountArray gsizes, const int* distribs,
                  const int* dargs, const int* psizes, int order, Datatype* old, Datatype** out);

}  // namespace heddle::datatype
