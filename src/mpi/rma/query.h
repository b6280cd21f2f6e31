// query.h — what a program may ask of a window or set on it: attributes, error handler, name, info,
// group, and where the memory of others is (MPI 5.0 §7.7.3, §7.8, §9.3.2, §12.2.3, §12.2.6).
//
// Thread safety: any strand; callbacks and error handlers run with no lock held and may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// `value` is the address of a pointer. That of MPI_WIN_BASE is the base itself; the other
// predefined ones get the address of a number, which stays as long as the window.
Error get_attribute(Window& window, int keyval, void* value, int* flag);
Error put_attribute(Window& window, int keyval, void* value);
Error delete_attribute(Window& window, int keyval);

Error get_errhandler(const Window& window, error::Errhandler** out);
Error set_errhandler(Window& window, error::Errhandler& handler);
// MPI_Win_call_errhandler: succeeds if the handler returns.
Error call_errhandler(const Window& window, int code);

// `name` holds MPI_MAX_OBJECT_NAME characters. A longer name is cut. Null is MPI_WIN_NULL.
Error get_name(const Window* window, char* name, int* length);
Error set_name(Window& window, const char* name);

Error get_hints(const Window& window, info::Info** out);
Error set_hints(Window& window, const info::Info* hints);

Error get_group(const Window& window, group::Group** out);

// Where a member's memory is; of MPI_PROC_NULL that of the lowest rank that has some. `base` is the
// address of a pointer. Not of a dynamic window.
Error shared_query(const Window& window, int rank, MPI_Count* size, MPI_Count* unit, void* base);

}  // namespace heddle::rma
