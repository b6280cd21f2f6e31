// session.h — what a session is (MPI 5.0 §11.3): one use of the library, with an error handler and
// a thread level of its own.
//
// How one begins and ends is runtime/life/sessions.h, which also counts the uses of the library.
// Groups and communicators are the rank's, whichever session they come from. A group keeps its
// session (group/group.h): for the error handler, which hears of the group's errors, and for the
// number, by which a buffered send finds its buffer (p2p/buffered.h). So a session outlives its end
// as long as there are groups and communicators that come from it. Then it has no handle.
//
// Thread safety: number and level are constant; the error handler is guarded inside.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/spin_lock.h"
#include "mpi/error/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/object/handle_table.h"

namespace heddle::session {

// Names one session of the process; never used again.
using Number = std::uint64_t;
constexpr Number kNone = 0;

class Session final : public object::Object {
 public:
  Session(int thread_level, object::Ref<error::Errhandler> handler) noexcept;

  Number number() const noexcept { return number_; }
  int thread_level() const noexcept { return thread_level_; }

  object::Ref<error::Errhandler> errhandler() const noexcept;
  void set_errhandler(object::Ref<error::Errhandler> handler) noexcept;

 private:
  ~Session() override = default;

  const Number number_;
  const int thread_level_;
  // Lock: guards the error handler of one session.
  mutable SpinLock lock_;
  object::Ref<error::Errhandler> errhandler_ GUARDED_BY(lock_);
};

// nullptr if the handle is not a session of the calling rank, MPI_SESSION_NULL included.
Session* from_handle(MPI_Session handle) noexcept;
// Finds the session as from_handle() does, and returns it with a reference: another thread may
// finalize it.
object::Ref<Session> kept_from_handle(MPI_Session handle) noexcept;

// The level that the hint thread_level asks for; MPI_THREAD_MULTIPLE without one. Fails where it
// names none.
Error wanted_level(const info::Info* hints, int* level);

// The hints that are in use (MPI_Session_get_info).
Error get_info(const Session& session, info::Info** out);

Error get_errhandler(const Session& session, error::Errhandler** out);
Error set_errhandler(Session& session, error::Errhandler& handler);
Error call_errhandler(const Session& session, int code);  // may switch

}  // namespace heddle::session
