// context_ids.h — draws a host's context ids. An id contains the number of the host that has drawn
// it, so no two hosts ever draw the same one, and ranks that make a communicator need not search
// for a free one.
//
//   63 62 61        52 51             35 34                                     0
//   ┌────┬────────────┬─────────────────┬────────────────────────────────────────┐
//   │ 0  │  job       │  host           │  serial: counts this host's ids        │
//   └────┴────────────┴─────────────────┴────────────────────────────────────────┘
//     └─ match::context_of() makes room for the plane by a shift
//
// Ids of no job (kNoJob) are those of predefined communicators, which are the same on all hosts.
//
// Invariants
//   I1  No id is drawn twice. A host that has drawn all of its 34 billion gets kNoContext from then
//       on.
//
// Thread safety: any strand.

#pragma once

#include <atomic>

#include "net/world/names.h"

namespace heddle::world {

class ContextIds {
 public:
  static constexpr int kJobBits = 10, kHostBits = 17, kSerialBits = 35;
  static constexpr int kBits = kJobBits + kHostBits + kSerialBits;
  static constexpr ContextId kSerials = ContextId{1} << kSerialBits;

  // `host` is its number in the job. A test may begin with a later serial.
  ContextIds(JobId job, int host, ContextId first_serial = 0) noexcept;

  // An id that no other call, on any host, has got or will get; kNoContext if none is left.
  ContextId draw() noexcept {
    // relaxed: it orders nothing else. Calls beyond the end do not bring it around: 64 bits.
    const ContextId serial = next_serial_.fetch_add(1, std::memory_order_relaxed);
    return serial < kSerials ? origin_ | serial : kNoContext;
  }

 private:
  const ContextId origin_;  // job and host, at their places
  std::atomic<ContextId> next_serial_;
};

}  // namespace heddle::world
