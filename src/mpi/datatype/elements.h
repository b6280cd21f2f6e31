// elements.h — how many elements of a type some received bytes are (MPI 5.0 §3.2.5, §5.1.11).
//
// Thread safety: none needed.

#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/datatype/datatype.h"

namespace heddle::datatype {

// Whole elements of `type` in `bytes` packed bytes: MPI_Get_count. MPI_UNDEFINED if bytes
// are left over.
MPI_Count whole_elements(MPI_Count bytes, const Datatype& type) noexcept;

// Basic elements in `bytes` packed bytes of elements of `type`: MPI_Get_elements. MPI_UNDEFINED if
// the bytes end within a basic element.
MPI_Count basic_elements(MPI_Count bytes, const Datatype& type) noexcept;

// The packed bytes of the first `elements` basic elements: MPI_Status_set_elements.
MPI_Count bytes_of_elements(MPI_Count elements, const Datatype& type) noexcept;

}  // namespace heddle::datatype
