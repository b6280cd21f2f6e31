// comm_attributes.h — attributes and error handlers of communicators (MPI 5.0 §7.7.2, §9.1.2,
// §9.3.1).
//
// Thread safety: any strand; callbacks and error handlers run with no lock held and may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::comm {

// The values of the predefined keyvals, the same for every communicator. The runtime sets those
// that it knows better before the program runs.
struct Environment {
  int tag_upper_bound;
  int host = MPI_PROC_NULL;  // no process is the host
  int io = MPI_ANY_SOURCE;   // every process can do I/O
  int wtime_is_global = 1;   // unless the job is on several machines: each has its own clock
  int application = -1;      // MPI_APPNUM; -1: not known
  int universe_size = 0;     // 0: the job's size

  Environment() noexcept;
};
Environment& environment() noexcept;

// `value` is the address of a pointer, which gets what was put: for predefined keyvals an int's.
Error get_attribute(Comm& comm, int keyval, void* value, int* flag);
Error put_attribute(Comm& comm, int keyval, void* value);
Error delete_attribute(Comm& comm, int keyval);

Error get_errhandler(const Comm& comm, error::Errhandler** out);
Error set_errhandler(Comm& comm, error::Errhandler& handler);

// MPI_Comm_call_errhandler: succeeds if the handler returns.
Error call_errhandler(Comm& comm, int code);

}  // namespace heddle::comm
