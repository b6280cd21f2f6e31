#include "mpi/error/errhandler.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/settings.h"
#include "base/standing.h"
#include "mpi/object/handle_table.h"

namespace heddle::error {

Errhandler::Errhandler(Action action, MPI_Errhandler constant) noexcept
    : Object(object::Kind::kErrhandler, Lifetime::kPredefined), action_(action) {
  set_handle(reinterpret_cast<object::HandleBits>(constant));
}

Errhandler::Errhandler(MPI_Comm_errhandler_function* function) noexcept
    : Object(object::Kind::kErrhandler), action_(Action::kUser), for_(object::Kind::kComm) {
  function_.comm = function;
}

Errhandler::Errhandler(MPI_Win_errhandler_function* function) noexcept
    : Object(object::Kind::kErrhandler), action_(Action::kUser), for_(object::Kind::kWin) {
  function_.win = function;
}

Errhandler::Errhandler(MPI_File_errhandler_function* function) noexcept
    : Object(object::Kind::kErrhandler), action_(Action::kUser), for_(object::Kind::kFile) {
  function_.file = function;
}

Errhandler::Errhandler(MPI_Session_errhandler_function* function) noexcept
    : Object(object::Kind::kErrhandler), action_(Action::kUser), for_(object::Kind::kSession) {
  function_.session = function;
}

void Errhandler::call_function(object::HandleBits object, int* code) const noexcept {
  switch (for_) {
    case object::Kind::kWin: {
      auto handle = reinterpret_cast<MPI_Win>(object);
      return function_.win(&handle, code);
    }
    case object::Kind::kFile: {
      auto handle = reinterpret_cast<MPI_File>(object);
      return function_.file(&handle, code);
    }
    case object::Kind::kSession: {
      auto handle = reinterpret_cast<MPI_Session>(object);
      return function_.session(&handle, code);
    }
    default: {
      auto handle = reinterpret_cast<MPI_Comm>(object);
      return function_.comm(&handle, code);
    }
  }
}

void Errhandler::call(object::HandleBits object, int* code) const noexcept {
  assert(action_ == Action::kUser);
  // The strand is in code of the program again, which may leave by longjmp or by an exception: then
  // the end of the MPI call never comes.
  const char* const call = std::exchange(Standing::mine.call, nullptr);
  call_function(object, code);
  Standing::mine.call = call;
}

Errhandler& errors_are_fatal() noexcept {
  static auto& fatal = *new Errhandler(Errhandler::Action::kFatal, MPI_ERRORS_ARE_FATAL);
  return fatal;
}
Errhandler& errors_abort() noexcept {
  static auto& abort = *new Errhandler(Errhandler::Action::kAbort, MPI_ERRORS_ABORT);
  return abort;
}
Errhandler& errors_return() noexcept {
  static auto& returned = *new Errhandler(Errhandler::Action::kReturn, MPI_ERRORS_RETURN);
  return returned;
}

Errhandler& initial_errhandler() noexcept {
  switch (
      static_cast<settings::InitialErrhandler>(settings::value(settings::Id::kInitialErrhandler))) {
    case settings::InitialErrhandler::kMpiErrorsAreFatal:
      break;
    case settings::InitialErrhandler::kMpiErrorsAbort:
      return errors_abort();
    case settings::InitialErrhandler::kMpiErrorsReturn:
      return errors_return();
  }
  return errors_are_fatal();
}

Errhandler* from_handle(MPI_Errhandler handle) noexcept {
  if (handle == MPI_ERRORS_ARE_FATAL) return &errors_are_fatal();
  if (handle == MPI_ERRORS_ABORT) return &errors_abort();
  if (handle == MPI_ERRORS_RETURN) return &errors_return();
  return object::find_as<Errhandler>(object::Kind::kErrhandler, handle);
}

namespace {
std::atomic<FatalHandler> fatal_handler{nullptr};

[[noreturn]] void end_job(int code, std::string_view sentence) noexcept {
  // relaxed: set before any rank was started.
  if (FatalHandler handler = fatal_handler.load(std::memory_order_relaxed)) handler(code, sentence);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

template <class Function>
Error create(Function* function, Errhandler** out) {
  if (function == nullptr) return Error::make(MPI_ERR_ARG, "the error handler function is null");
  *out = new Errhandler(function);
  return {};
}

const char* class_name(object::Kind kind) noexcept {
  switch (kind) {
    case object::Kind::kWin:
      return "windows";
    case object::Kind::kFile:
      return "files";
    case object::Kind::kSession:
      return "sessions";
    default:
      return "communicators";
  }
}
}  // namespace

int raise_error(const Errhandler& handler, object::HandleBits object, int code,
                std::string_view sentence) noexcept {
  switch (handler.action()) {
    case Errhandler::Action::kReturn:
      break;
    case Errhandler::Action::kUser:
      handler.call(object, &code);
      break;
    case Errhandler::Action::kFatal:
    case Errhandler::Action::kAbort:
      end_job(code, sentence);
  }
  return code;
}

void set_fatal_handler(FatalHandler handler) noexcept {
  fatal_handler.store(handler, std::memory_order_relaxed);
}

Error create_errhandler(MPI_Comm_errhandler_function* function, Errhandler** out) {
  return create(function, out);
}
Error create_errhandler(MPI_Win_errhandler_function* function, Errhandler** out) {
  return create(function, out);
}
Error create_errhandler(MPI_File_errhandler_function* function, Errhandler** out) {
  return create(function, out);
}
Error create_errhandler(MPI_Session_errhandler_function* function, Errhandler** out) {
  return create(function, out);
}

Error free_errhandler(MPI_Errhandler* handle) {
  Errhandler* handler = from_handle(*handle);
  if (handler == nullptr) {
    return Error::make(MPI_ERR_ERRHANDLER, "argument errhandler is %s",
                       *handle == MPI_ERRHANDLER_NULL ? "MPI_ERRHANDLER_NULL"
                                                      : "not an error handler, or already freed");
  }
  // MPI_Comm_get_errhandler hands out predefined ones, which the program must free like others.
  if (!handler->predefined()) {
    if (object::Object* mine =
            retire(object::Kind::kErrhandler, reinterpret_cast<object::HandleBits>(*handle))) {
      mine->release();
    }
  }
  *handle = MPI_ERRHANDLER_NULL;
  return {};
}

Error check_fits(const Errhandler& handler, object::Kind kind) {
  if (handler.fits(kind)) return {};
  return Error::make(MPI_ERR_ERRHANDLER, "the error handler was not created for %s",
                     class_name(kind));
}

}  // namespace heddle::error
