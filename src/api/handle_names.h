// handle_names.h — the names of the ABI's predefined handles, for error messages. The table is
// generated.
//
// Thread safety: constant.

#pragma once

#include "mpi/object/handle_table.h"

namespace heddle::api {

// "MPI_COMM_NULL", or nullptr if the handle is none of the ABI's constants.
const char* constant_name(object::HandleBits handle) noexcept;

}  // namespace heddle::api
