// memory.h — memory that the library takes for the program: MPI_Alloc_mem (MPI 5.0 §9.2), and that
// of windows.
//
// Thread safety: any strand.

#pragma once

#include <mpi.h>

#include <cstddef>

#include "base/error.h"
#include "mpi/info/info.h"

namespace heddle::rma {

// The alignment that the hint mpi_minimum_memory_alignment asks for, if it is a power of two and
// more than a cache line; else a cache line.
std::size_t alignment_of(const info::Info* hints);

// Ordinary memory on cache lines of its own, aligned as the hints ask; for std::free. `bytes` >= 0.
Error take_memory(MPI_Aint bytes, const info::Info* hints, void** memory);

// MPI_Alloc_mem, MPI_Free_mem: `base` is the address of a pointer.
Error alloc_mem(MPI_Aint size, const info::Info* hints, void* base);
Error free_mem(void* base);

}  // namespace heddle::rma
