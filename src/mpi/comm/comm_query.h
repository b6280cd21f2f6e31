// comm_query.h — the functions that ask a communicator something, or set something on it, without
// messages (MPI 5.0 §7.4.1, §7.4.4, §7.6.1, §7.8).
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"

namespace heddle::comm {

Error get_size(const Comm& comm, int* size);
Error get_rank(const Comm& comm, int* rank);
Error get_remote_size(const Comm& comm, int* size);
Error test_inter(const Comm& comm, int* flag);

// MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL.
Error compare(const Comm& first, const Comm& second, int* result);

Error get_group(const Comm& comm, group::Group** out);
Error get_remote_group(const Comm& comm, group::Group** out);

// `name` holds MPI_MAX_OBJECT_NAME characters. A longer name is cut. Null is MPI_COMM_NULL.
Error get_name(const Comm* comm, char* name, int* length);
Error set_name(Comm& comm, const char* name);

// The hints that are known here: the assertions of §7.4.4, as the program gave them or "false".
// Others are ignored, which MPI allows, and not given back. No program sets mpi_memory_alloc_kinds,
// which says what memory a program may communicate from (§11.4.3).
Error get_hints(const Comm& comm, info::Info** out);
Error set_hints(Comm& comm, const info::Info* hints);

}  // namespace heddle::comm
