// collective.h — collective accesses (MPI 5.0 §14.4): an operation of mpi/coll, so that one text
// serves blocking, nonblocking and split calls.
//
//   phase 0   each member puts its access on the board and counts itself in; all learn whether some
//             read and others write
//   phase 1   only with several processes: all learn whether these exchange data (domains.h)
//             a process's aggregators move the bytes of its members (gather.h), or owners of domains
//             those of all (exchange.h); in atomic mode each member moves its own
//   the last  all meet again and agree on the first error
//
// A member whose call is wrong takes part with no bytes, and tells its error in phase 1, so no
// other member waits for it in vain.
//
// Thread safety: as coll.h says.

#pragma once

#include "base/error.h"
#include "mpi/coll/coll.h"
#include "mpi/coll/started.h"
#include "mpi/io/access.h"
#include "mpi/io/domains.h"

namespace heddle::io {

// What all members learn of a member's error: its class, and if the kernel gave one its number.
struct Failure {
  int error_class = 0;
  int system_error = 0;

  std::int64_t packed() const noexcept {
    return std::int64_t{error_class} << 32 | static_cast<std::uint32_t>(system_error);
  }
};

struct CollectiveAccess {
  Access& access;
  comm::Comm& comm;
  int failed = MPI_SUCCESS;  // the class of an error of this member's call

  coll::Uses uses() const noexcept { return {access.memory.type}; }
  int phases() const noexcept { return access.file->part().all_are_here() ? 2 : 3; }
  Error perform(const coll::Ticket& ticket) const;

 private:
  Error move_all(const Domains& domains, const coll::Ticket& ticket, int* system_error) const;
};

// All members learn whether one has failed: its own error, or another member's. Collective.
// `what`: what could not be done with the file ("open"). May switch.
Error agree(File& file, Error mine, int system_error, const char* what);

// Begins a collective access. `access` as in perform().
Error start_collective(std::unique_ptr<Access> access, request::Request** out, Error failed);

}  // namespace heddle::io
