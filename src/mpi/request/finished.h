// finished.h — one request for all operations that are done when their call returns and leave no
// outcome.
//
// Most sends are like that: the message has been copied, and the status of a send says nothing. All
// ranks have one request for all of them, which is always done. Its handle is a constant that no
// table knows (object/handle_table.h), so one comparison tells it: a wait, a test or a free only
// puts MPI_REQUEST_NULL into the program's variable.
//
//   MPI_Isend, a small message ──► finished() ──► kFinishedHandle
//                              ──► MPI_Waitall: nothing to do
//   MPI_Isend, a large message ──► a SendRequest of its own
//
// So a program that waits twice for copies of such a handle gets no error, although MPI 5.0 §3.7.3
// calls this erroneous.
//
// Thread safety: any strand; the request is constant.

#pragma once

#include <mpi.h>

#include "mpi/object/handle_table.h"
#include "mpi/request/request.h"

namespace heddle::request {

class Finished final : public Request {
 public:
  Finished() noexcept;
  ~Finished() override = default;
};

// Made when the library is loaded, and never destroyed: ranks may use it until the process ends.
union KeptFinished {
  KeptFinished() noexcept : it() {}
  ~KeptFinished() {}
  KeptFinished(KeptFinished&&) = delete;
  Finished it;
};
extern KeptFinished kept_finished;

inline Finished& finished() noexcept {
  return kept_finished.it;
}
inline bool is_finished(MPI_Request handle) noexcept {
  return reinterpret_cast<object::HandleBits>(handle) == object::kFinishedHandle;
}

}  // namespace heddle::request
