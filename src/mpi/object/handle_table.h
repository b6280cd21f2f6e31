// handle_table.h — from the ABI's pointer-sized handles to this rank's objects and back.
//
// Predefined handles are the ABI's small constants (< 0x1000) and are not in this table; each class
// has its own from_handle() that knows them. A handle of ours:
//
//   63            32 31 30   27 26                       0
//   ┌───────────────┬──┬───────┬──────────────────────────┐
//   │  generation   │0 │ kind  │          index           │
//   └───────────────┴──┴───────┴──────────────────────────┘
//                    └── the int of MPI_Comm_toint and of Fortran ──┘
//
// Invariants
//   I1  A slot's generation grows with each use, so a freed handle is never found again.
//   I2  kind >= 1, so a handle's low half is never below 1 << 27 and never a predefined constant.
//   I3  Slots never move: a direct block plus indirect blocks, each twice as large, like an inode.
//
// Thread safety: find() any strand of the rank, wait-free; publish and retire lock the table.

#pragma once

#include <cstdint>

#include "mpi/object/object.h"

namespace heddle::object {

using HandleBits = std::uintptr_t;

// Gives `object` a handle of the calling rank. Takes over the caller's reference.
HandleBits publish(Object* object) noexcept;

// The object, or nullptr if the handle is freed, foreign, garbage or of another kind.
Object* find(Kind kind, HandleBits handle) noexcept;

// Makes the handle invalid and hands its reference to the caller; nullptr like find(). Of several
// strands that retire one handle exactly one gets the object.
Object* retire(Kind kind, HandleBits handle) noexcept;

// The int of the `_toint` functions for one of our handles, and back (0 where nothing is there).
int to_int(HandleBits handle) noexcept;
HandleBits from_int(int value) noexcept;

// Objects of this kind that the rank has not freed: for the report at MPI_Finalize and for tests.
std::size_t live_count(Kind kind) noexcept;

}  // namespace heddle::object
