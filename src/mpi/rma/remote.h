// remote.h — windows over several processes, on the origin's side: what a call does at a target
// that is in another process.
//
//   put, accumulate      leave as packets; the origin's buffer may be used again. The first one is
//                        answered by itself, and a flush of the target waits for that. If there
//                        were more it asks whether all have been done
//   get, fetch, swap     wait for their answers, a few packets at a time
//   lock                 leaves with the first access (begun_lock.h)
//   unlock, complete,    return when what was put has been done
//   fence
//
// A target has at most kMostUnflushed bytes that were put and not flushed; then the call flushes.
//
// Thread safety: any strand of the rank. May switch, all of them but lock() and post().

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/rma/combine.h"
#include "mpi/rma/place.h"
#include "mpi/rma/target_lock.h"

namespace heddle::rma::remote {

inline constexpr std::uint32_t kMostUnflushed = 4 << 20;

// `offset`: of the displacement, from the target's base, in bytes. Both sides have `bytes` bytes.
Error put(datatype::ConstBuffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes,
          Window& window);
Error get(datatype::Buffer origin, const Place& place, MPI_Aint offset, MPI_Count bytes,
          Window& window);
// As rma::combine().
Error combine(const datatype::ConstBuffer& origin, const datatype::Buffer& result,
              const Place& place, MPI_Aint offset, MPI_Count bytes, const Combination& what,
              Window& window);
Error swap_if_equal(const void* origin, const void* compare, void* result, const Place& place,
                    MPI_Aint offset, Window& window);

// Returns when what the rank has put at the target, or at all, has been done there.
Error flush(int target, Window& window);
Error flush_all(Window& window);

void lock(int target, LockMode mode, Window& window);
// Returns when what was put has been done.
Error unlock(int target, LockMode mode, Window& window);
// In all other processes.
Error lock_all(Window& window);
void unlock_all(Window& window);

void post(int origin, Window& window);
void complete(int target, Window& window);

}  // namespace heddle::rma::remote
