/* mpi1.h - the MPI-1 names that MPI 3.0 removed, for programs of before 2008.
 *
 *   mpicc -DHEDDLE_MPI1 old.c
 *
 * Everything here is a macro or a static function over today's MPI, so that a program which uses
 * it still needs nothing but the standard's ABI. What was deprecated but not removed
 * (MPI_Attr_get, MPI_Keyval_create ...) is in mpi.h without this.
 *
 * MPI_LB and MPI_UB work where programs used them, as elements of MPI_Type_struct: they become the
 * bounds of the new type. Their stickiness through further type constructors is not imitated
 * (a resized type carries its bounds anyway).
 */
#ifndef HEDDLE_MPI1_H
#define HEDDLE_MPI1_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_Address MPI_Get_address
#define MPI_Type_hvector MPI_Type_create_hvector
#define MPI_Type_hindexed MPI_Type_create_hindexed
#define MPI_Errhandler_create MPI_Comm_create_errhandler
#define MPI_Errhandler_set MPI_Comm_set_errhandler
#define MPI_Errhandler_get MPI_Comm_get_errhandler
#define MPI_Handler_function MPI_Comm_errhandler_function

#define MPI_COMBINER_HVECTOR_INTEGER (-101)
#define MPI_COMBINER_HINDEXED_INTEGER (-102)
#define MPI_COMBINER_STRUCT_INTEGER (-103)

/* No handles of the library: only MPI_Type_struct below knows them. */
#define MPI_LB ((MPI_Datatype)0x00000f01)
#define MPI_UB ((MPI_Datatype)0x00000f02)

static __inline int heddle_mpi1_type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower;
  return MPI_Type_get_extent(datatype, &lower, extent);
}

static __inline int heddle_mpi1_type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent;
  return MPI_Type_get_extent(datatype, displacement, &extent);
}

static __inline int heddle_mpi1_type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent;
  int error = MPI_Type_get_extent(datatype, displacement, &extent);
  if (error == MPI_SUCCESS) *displacement = MPI_Aint_add(*displacement, extent);
  return error;
}

/* Elements that are MPI_LB or MPI_UB become empty ones; afterwards the type gets their bounds. */
static __inline int heddle_mpi1_type_struct(int count, int* lengths, MPI_Aint* displacements,
                                            MPI_Datatype* types, MPI_Datatype* newtype) {
  MPI_Aint lower = 0, upper = 0, type_lower, type_extent;
  MPI_Datatype plain;
  int has_lower = 0, has_upper = 0, error, i, kept = 0;

  for (i = 0; i < count; i++) {
    if (types[i] == MPI_LB) {
      if (!has_lower || displacements[i] < lower) lower = displacements[i];
      has_lower = 1;
    } else if (types[i] == MPI_UB) {
      if (!has_upper || displacements[i] > upper) upper = displacements[i];
      has_upper = 1;
    }
  }
  if (!has_lower && !has_upper) {
    return MPI_Type_create_struct(count, lengths, displacements, types, newtype);
  }

  {
    /* Order the marker elements to the end of copies, and leave them out. */
    MPI_Aint* where = (MPI_Aint*)0;
    int* length = (int*)0;
    MPI_Datatype* type = (MPI_Datatype*)0;
    error = MPI_Alloc_mem((MPI_Aint)((unsigned long)count * sizeof *where), MPI_INFO_NULL, &where);
    if (error != MPI_SUCCESS) return error;
    error =
        MPI_Alloc_mem((MPI_Aint)((unsigned long)count * sizeof *length), MPI_INFO_NULL, &length);
    if (error == MPI_SUCCESS) {
      error = MPI_Alloc_mem((MPI_Aint)((unsigned long)count * sizeof *type), MPI_INFO_NULL, &type);
    }
    if (error == MPI_SUCCESS) {
      for (i = 0; i < count; i++) {
        if (types[i] == MPI_LB || types[i] == MPI_UB) continue;
        where[kept] = displacements[i];
        length[kept] = lengths[i];
        type[kept] = types[i];
        kept++;
      }
      error = MPI_Type_create_struct(kept, length, where, type, &plain);
    }
    MPI_Free_mem(where);
    if (length) MPI_Free_mem(length);
    if (type) MPI_Free_mem(type);
    if (error != MPI_SUCCESS) return error;
  }

  error = MPI_Type_get_extent(plain, &type_lower, &type_extent);
  if (error == MPI_SUCCESS) {
    if (!has_lower) lower = type_lower;
    if (!has_upper) upper = type_lower + type_extent;
    error = MPI_Type_create_resized(plain, lower, upper - lower, newtype);
  }
  MPI_Type_free(&plain);
  return error;
}

#define MPI_Type_extent heddle_mpi1_type_extent
#define MPI_Type_lb heddle_mpi1_type_lb
#define MPI_Type_ub heddle_mpi1_type_ub
#define MPI_Type_struct heddle_mpi1_type_struct

#ifdef __cplusplus
}
#endif

#endif
