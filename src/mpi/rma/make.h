// make.h — how windows begin and end (MPI 5.0 §12.2).
//
//   1  the members duplicate the communicator, and agree on the id of the window's part
//   2  each writes its Member: where its memory is, or what went wrong at this rank
//   3  all meet; a shared window's memory is taken, and all meet again
//   4  all look whether a member failed: then all fail, and none waits for it in vain
//
// A window ends when all members have come to MPI_Win_free. At MPI_Finalize those that are left end
// without waiting for others (end_windows).
//
// Thread safety: collective, as the standard asks. Those calls may switch.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/rma/window.h"

namespace heddle::rma {

// `base` is what the program gave.
Error create(void* base, MPI_Aint size, MPI_Aint unit, const info::Info* hints, comm::Comm& comm,
             Window** out);
// `base` is the address of a pointer, which gets the memory's.
Error allocate(MPI_Aint size, MPI_Aint unit, const info::Info* hints, comm::Comm& comm, void* base,
               Window** out);
Error allocate_shared(MPI_Aint size, MPI_Aint unit, const info::Info* hints, comm::Comm& comm,
                      void* base, Window** out);
Error create_dynamic(const info::Info* hints, comm::Comm& comm, Window** out);

Error free_window(MPI_Win* handle);

// The rank stops to use MPI: what its windows that are left have under way ends. Their memory stays
// until the rank ends, because other members may still reach it. Does not switch.
void end_windows() noexcept;

// MPI_Win_attach, MPI_Win_detach: of a dynamic window. Local; neither switches.
Error attach(Window& window, void* base, MPI_Aint size);
Error detach(Window& window, const void* base);

}  // namespace heddle::rma
