// enums.h — names for the values of control variables that have a choice of them (MPI 5.0 §15.3.5).
//
// Thread safety: constant.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "base/settings.h"

namespace heddle::tool {

// MPI_T_ENUM_NULL if the setting has no choices.
MPI_T_enum enum_of(settings::Id id) noexcept;

Error enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len);
Error enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len);

}  // namespace heddle::tool
