// tool.h — opens and closes the tools interface of a rank (MPI 5.0 §15.3.4).
//
// It is open between as many MPI_T_init_thread as MPI_T_finalize, whatever MPI_Init and
// MPI_Finalize do. Every other function of this folder requires that it is.
//
//   controls.h      control variables: the settings of base/settings.h
//   performance.h   sessions, and handles of the performance variables in variables.h
//   categories.h    topics of both
//   enums.h         names of the values of some control variables
//   events.h        there are none
//
// Errors have the classes MPI_T_ERR_…; no error handler is called.
//
// Thread safety: any strand of the rank, in this whole folder.

#pragma once

#include "base/error.h"

namespace heddle::tool {

Error init_thread(int required, int* provided);

// The last one frees all sessions and handles.
Error finalize();

// Requires Rank::current().
bool is_open() noexcept;

}  // namespace heddle::tool
