// detached.h — the requests of a rank that MPI_Request_free has found active (MPI 5.0 §3.7.3).
//
//   add() ──► [ oldest look | … | latest look ] ──► done: ended
//                 ▲               not done: put at the end
//                 └───────────────────┘
//
// A request must be ended by its own rank, and the strand that completes it may belong to another
// one; so each add() looks for some that are done. It looks at a fixed number, kLooks, in turn, so
// that it costs the same however many wait. With n requests in the list, a done one is found after
// at most n / kLooks more calls of add(). So if all of them end at some time, the list holds at
// most a third more than are active.
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

  // True if some are not done.
  bool any_active() noexcept;

  // Returns when those are done that are kept now, and ends them. May switch.
  void await_all();

  // Ends all. Those that are not done are taken back.
  void end_all();

 private:
  std::deque<object::Ref<Request>> take_all();  // to be ended without the lock

  // Lock: guards the requests of a rank that were freed while active.
  SpinLock lock_;
  // A deque: it grows without being copied.
  std::deque<object::Ref<Request>> waiting_ GUARDED_BY(lock_);
};

}  // namespace heddle::request
