// errhandler.h — what happens when an MPI call fails (MPI 5.0 §9.3).
//
//   handle                  on an error
//   ----------------------  --------------------------------------------------------------
//   MPI_ERRORS_ARE_FATAL    the fatal handler: one sentence, the job ends
//   MPI_ERRORS_ABORT        the same; with one host all ranks end together
//   MPI_ERRORS_RETURN       nothing; the call returns the code
//   a user's                the function is called, then the call returns the code it leaves
//
// Thread safety: an Errhandler is immutable. set_fatal_handler before any rank runs.

#pragma once

#include <mpi.h>

#include <string_view>

#include "base/error.h"
#include "mpi/object/object.h"

namespace heddle::error {

class Errhandler final : public object::Object {
 public:
  enum class Action { kFatal, kAbort, kReturn, kUser };
  using object::Object::Lifetime;

  // A predefined one, with the ABI's constant.
  Errhandler(Action action, MPI_Errhandler constant) noexcept;

  // A user's, for one class of objects.
  explicit Errhandler(MPI_Comm_errhandler_function* function) noexcept;
  explicit Errhandler(MPI_Win_errhandler_function* function) noexcept;
  explicit Errhandler(MPI_File_errhandler_function* function) noexcept;
  explicit Errhandler(MPI_Session_errhandler_function* function) noexcept;

  Action action() const noexcept { return action_; }

  // True if it may be attached to objects of this class.
  bool fits(object::Kind kind) const noexcept { return action_ != Action::kUser || kind == for_; }

  // Calls the user's function with the object's handle. Requires kUser. May switch. It may not
  // return: then Standing::mine.call is null.
  void call(object::HandleBits object, int* code) const noexcept;

 private:
  void call_function(object::HandleBits object, int* code) const noexcept;

  union Function {
    MPI_Comm_errhandler_function* comm;
    MPI_Win_errhandler_function* win;
    MPI_File_errhandler_function* file;
    MPI_Session_errhandler_function* session;
  };

  const Action action_;
  const object::Kind for_ = object::Kind::kComm;  // of a user's
  Function function_{};
};

// The predefined ones, shared by all ranks.
Errhandler& errors_are_fatal() noexcept;
Errhandler& errors_abort() noexcept;
Errhandler& errors_return() noexcept;

// The one before any communicator has another, as HEDDLE_INITIAL_ERRHANDLER says (§9.3).
Errhandler& initial_errhandler() noexcept;

// nullptr if the handle is not an error handler, MPI_ERRHANDLER_NULL included.
Errhandler* from_handle(MPI_Errhandler handle) noexcept;

// Does what `handler` says about an error of the object with this handle, and returns the code that
// the MPI call returns. `sentence` is for the user's eyes. May switch.
int raise_error(const Errhandler& handler, object::HandleBits object, int code,
                std::string_view sentence) noexcept;

// Ends the job; runtime sets it, because it lies above. Without one the process is aborted.
using FatalHandler = void (*)(int code, std::string_view sentence);
void set_fatal_handler(FatalHandler handler) noexcept;

// MPI_Comm_create_errhandler and its siblings.
Error create_errhandler(MPI_Comm_errhandler_function* function, Errhandler** out);
Error create_errhandler(MPI_Win_errhandler_function* function, Errhandler** out);
Error create_errhandler(MPI_File_errhandler_function* function, Errhandler** out);
Error create_errhandler(MPI_Session_errhandler_function* function, Errhandler** out);

// MPI_Errhandler_free. Objects that use it keep it.
Error free_errhandler(MPI_Errhandler* handle);

// An error unless `handler` may be attached to objects of this class.
Error check_fits(const Errhandler& handler, object::Kind kind);

}  // namespace heddle::error
