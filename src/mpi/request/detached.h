// detached.h — the requests of a rank that MPI_Request_free has found active (MPI 5.0 §3.7.3).
//
//   add() ──► [ oldest look | … | latest look ] ──► done: ended
//                 ▲               not done: looked at, and put behind
//                 └───────────────────┘
//
// A request must be ended by its own rank, and the strand that completes it may belong to another one; so
// each add() looks for some that are done. It looks at a fixed number, in turn, so that it costs the same
// however many wait. One that is done is therefore met at the latest when a kLooks-th as many have been
// added as there are; and where all are done sooner or later, only a third more are kept than are active.
//
// Thread safety: any strand of the rank.

#pragma once

#include <cstddef>
#include <deque>

#include "base/spin_lock.h"
#include "mpi/request/request.h"

namespace heddle::request {

class Detached {
 public:
  static constexpr std::size_t kLooks = 4;  // a request that is added

  // Keeps it until it is done.
  void add(object::Ref<Request> request);

  // Ends all. Those that are not done are taken back.
  void end_all();

 private:
  SpinLock lock_;
  // A deque: it grows without being copied.
  std::deque<object::Ref<Request>> waiting_ GUARDED_BY(lock_);
};

}  // namespace heddle::request
