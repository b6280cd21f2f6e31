#include "api/entry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "api/handle_names.h"
#include "api/last_error.h"
#include "base/standing.h"
#include "mpi/error/errhandler.h"
#include "mpi/object/lent_handle.h"
#include "mpi/tool/tool.h"
#include "runtime/carrier/singleton.h"
#include "runtime/job_board/abort.h"

namespace heddle::api {

namespace {

constexpr const char* kForbidden =
    "called in a signal handler that has interrupted MPI; only MPI_Abort may be called there";

struct KindWords {
  int error_class;
  const char* article;  // "a communicator"
};

KindWords words_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::kComm:
      return {MPI_ERR_COMM, "a communicator"};
    case Kind::kDatatype:
      return {MPI_ERR_TYPE, "a datatype"};
    case Kind::kOp:
      return {MPI_ERR_OP, "an operation"};
    case Kind::kGroup:
      return {MPI_ERR_GROUP, "a group"};
    case Kind::kRequest:
      return {MPI_ERR_REQUEST, "a request"};
    case Kind::kErrhandler:
      return {MPI_ERR_ERRHANDLER, "an error handler"};
    case Kind::kInfo:
      return {MPI_ERR_INFO, "an info object"};
    case Kind::kMessage:
      return {MPI_ERR_REQUEST, "a message"};
    case Kind::kWin:
      return {MPI_ERR_WIN, "a window"};
    case Kind::kFile:
      return {MPI_ERR_FILE, "a file"};
    case Kind::kSession:
      return {MPI_ERR_SESSION, "a session"};
  }
  return {MPI_ERR_ARG, "a handle"};
}

constexpr Kind kAllKinds[] = {Kind::kComm,    Kind::kDatatype,   Kind::kOp,     Kind::kGroup,
                              Kind::kRequest, Kind::kErrhandler, Kind::kInfo,   Kind::kMessage,
                              Kind::kWin,     Kind::kFile,       Kind::kSession};

// Describes a wrong handle: "MPI_INT", "a group", "0x12 (freed, or never a handle)".
std::string what_is(object::HandleBits handle) {
  if (const char* name = constant_name(handle)) return name;
  if (handle == 0) return "a null pointer";
  char text[64];
  for (const Kind kind : kAllKinds) {
    if (object::find(kind, handle) != nullptr) return words_of(kind).article;
  }
  std::snprintf(text, sizeof text, "0x%zx (freed, or never a handle)", handle);
  return text;
}

// "MPI_COMM_WORLD has ranks 0 to 7"
std::string ranks_of(const comm::Comm* comm) {
  if (comm == nullptr) return "there is no communicator";
  const int size = comm->peers().size();
  std::string text = comm::describe(*comm) + " has ";
  if (size == 0) return text + "no ranks";
  if (size == 1) return text + (comm->is_inter() ? "only remote rank 0" : "only rank 0");
  return text + (comm->is_inter() ? "remote ranks 0 to " : "ranks 0 to ") +
         std::to_string(size - 1);
}

const char* special_name(const void* buffer) noexcept {
  if (buffer == nullptr) return "a null pointer";
  return buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : "MPI_BUFFER_AUTOMATIC";
}

// Linux maps nothing below vm.mmap_min_addr, which is so by default.
constexpr MPI_Count kFirstMapped = 65536;

bool is_missing(const datatype::Datatype* type, MPI_Count count, MPI_Count begin) noexcept {
  return count > 0 && begin < kFirstMapped && type != nullptr &&
         type->named() != MPI_DATATYPE_NULL && type->size() > 0;
}

std::string sentence_of(const Error& error) {
  return std::string(Standing::mine.call) + ": " + std::string(error.text());
}

}  // namespace

bool missing_piece(object::CountArray counts, object::CountArray displacements,
                   const datatype::Datatype* type, int ranks) noexcept {
  for (int i = 0; i < ranks; ++i) {
    if (is_missing(type, counts[i], displacements[i] * type->extent())) return true;
  }
  return false;
}

bool missing_piece(object::CountArray counts, object::CountArray displacements,
                   const MPI_Datatype* types, int ranks) noexcept {
  for (int i = 0; i < ranks; ++i) {
    if (is_missing(datatype::from_handle(types[i]), counts[i], displacements[i])) return true;
  }
  return false;
}

bool exceeds_memory_slow(MPI_Count count, const datatype::Datatype& type) noexcept {
  constexpr MPI_Count kAddresses = datatype::Datatype::kAddresses;
  const MPI_Count size = type.size(), stride = std::abs(type.extent());
  return (size > 0 && count > kAddresses / size) || (stride > 0 && count - 1 > kAddresses / stride);
}

namespace {

// Runs an error handler, with the handle of its object.
int raise(const error::Errhandler& handler, object::HandleBits listener,
          const Error& error) noexcept {
  const std::string sentence = sentence_of(error);
  const int code = error.error_class(), told = error.told_class();
  remember_error(told, sentence);
  const int left = error::raise_error(handler, listener, told, sentence);
  if (told == code || left != told) return left;
  remember_error(code, sentence);
  return code;
}

// Runs the error handler of a communicator, session or window.
template <class Listener>
int hear(Listener& listener, const Error& error) noexcept {
  // The handler may free the object, and the program may have done so.
  const object::Ref<Listener> kept(&listener);
  const object::LentHandle handle(listener);
  return raise(*listener.errhandler(), handle.bits(), error);
}

int raise_at(const object::Object& object, const Error& error) noexcept {
  if (object.kind() == Kind::kWin) {
    return hear(const_cast<rma::Window&>(static_cast<const rma::Window&>(object)), error);
  }
  if (object.kind() == Kind::kFile) {
    return hear(const_cast<io::Listener&>(static_cast<const io::Listener&>(object)), error);
  }
  if (object.kind() != Kind::kSession) {
    const auto& handler = static_cast<const error::Errhandler&>(object);
    return raise(handler,
                 handler.fits(Kind::kSession) ? bits(MPI_SESSION_NULL) : bits(MPI_COMM_NULL),
                 error);
  }
  const auto& session = static_cast<const session::Session&>(object);
  if (session.handle() != 0) return hear(session, error);
  // It has been finalized. No handle is lent: with it the program could do so again.
  return raise(*session.errhandler(), bits(MPI_SESSION_NULL), error);
}

// True in a signal handler that has interrupted MPI.
bool is_forbidden(const char* outer) noexcept {
  return outer == Standing::kHandlerInsideMpi && std::strcmp(Standing::mine.call, "MPI_Abort") != 0;
}

comm::Comm* comm_of(Hearer hearer) noexcept {
  return comm::from_handle(reinterpret_cast<MPI_Comm>(hearer.named));
}

}  // namespace

int fail(Hearer hearer, Error error) noexcept {
  object::Ref<comm::Comm> kept;
  if (Rank::current() != nullptr) {
    kept = comm::kept_from_handle(reinterpret_cast<MPI_Comm>(hearer.named));
    if (!kept) {
      const auto session = session::kept_from_handle(reinterpret_cast<MPI_Session>(hearer.named));
      if (session) return hear(*session, error);
    }
  }
  if (!kept && hearer.object != nullptr) return raise_at(*hearer.object, error);
  return fail_on(kept.get(), std::move(error));
}

int fail_on(comm::Comm* listener, Error error) noexcept {
  if (listener == nullptr && Rank::current() != nullptr) listener = comm::predefined().self.get();
  if (listener != nullptr) {
    // A request that reads or writes a file has the file's own communicator.
    const auto* const of_file = listener->extras().find<io::FileOfComm>();
    if (of_file != nullptr && of_file->file != nullptr) return hear(*of_file->file, error);
    return hear(*listener, error);
  }
  // Before MPI_Init, after MPI_Finalize.
  const std::string sentence = sentence_of(error);
  const int code = error.error_class();
  remember_error(error.told_class(), sentence);
  if (&error::initial_errhandler() != &error::errors_return()) runtime::abort_job(code, sentence);
  return code;
}

int fail_on(MPI_Comm comm, Error error) noexcept {
  const object::Ref<comm::Comm> kept = comm::kept_from_handle(comm);
  return fail_on(kept.get(), std::move(error));
}

bool tools_are_open() noexcept {
  return (Rank::current() != nullptr || runtime::adopt_strand()) && tool::is_open();
}

int tell_slow(Error error) noexcept {
  remember_error(error.error_class(), sentence_of(error));
  return error.error_class();
}

int tools_are_closed() noexcept {
  return tell(Error::make(MPI_T_ERR_NOT_INITIALIZED, "called before MPI_T_init_thread"));
}

int Entry::no_tools(const char* outer) noexcept {
  return tell(Error::make(MPI_T_ERR_CANNOT_INIT, "%s",
                          is_forbidden(outer)
                              ? kForbidden
                              : "the process could not become an MPI rank; MPI_Init says why"));
}

int missing_for_tools(const char* name) noexcept {
  return tell(Error::make(MPI_T_ERR_INVALID, "argument %s is a null pointer", name));
}

void note_arguments(const Arguments& arguments) noexcept {
  static_cast<void>(runtime::phase_of_caller());  // makes the caller a strand of its rank
  if (!runtime::mpi_is_running()) return;
  CallNote note{.parts = arguments.parts,
                .dest = arguments.dest,
                .source = arguments.source,
                .tag = arguments.tag};
  const comm::Comm* const comm = comm::from_handle(arguments.comm);
  if (comm == nullptr) note.parts &= ~std::uint32_t{CallNote::kComm};
  if (comm != nullptr) note.communicator = comm->context();
  const rma::Window* const window = rma::from_handle(arguments.win);
  if (window == nullptr) note.parts &= ~std::uint32_t{CallNote::kWindow};
  if (window != nullptr) note.communicator = window->context();
  const datatype::Datatype* const type = datatype::from_handle(arguments.datatype);
  if (type == nullptr || arguments.count < 0) note.parts &= ~std::uint32_t{CallNote::kBytes};
  if (type != nullptr) note.bytes = arguments.count * type->size();
  observe::note_call(note);
}

bool Entry::running_slow(const char* outer) noexcept {
  if (is_forbidden(outer)) return false;
  static_cast<void>(runtime::phase_of_caller());  // makes the caller a strand of its rank
  return runtime::mpi_is_running();
}

bool Entry::has_rank_slow(const char* outer) noexcept {
  if (is_forbidden(outer)) return false;
  if (Rank::current() != nullptr || runtime::adopt_strand()) return true;
  Error e = runtime::start_singleton();
  if (!e) return true;
  e.ignore();  // the caller fails with not_running()
  return false;
}

int Entry::not_running(const char* outer) noexcept {
  constexpr Hearer hearer;  // nothing has been looked up
  if (is_forbidden(outer)) {
    return fail(hearer, Error::make(MPI_ERR_OTHER, "%s", kForbidden));
  }
  switch (runtime::phase_of_caller()) {
    case runtime::Phase::kFinal:
      return fail(hearer, Error::make(MPI_ERR_OTHER, "called after MPI_Finalize"));
    case runtime::Phase::kOutside:
      return fail(hearer, Error::make(MPI_ERR_OTHER, "called before MPI_Init"));
    case runtime::Phase::kRunning:
      break;
  }
  return fail(hearer, Error::make(MPI_ERR_OTHER, "the process could not become an MPI rank"));
}

int bad_handle(Hearer hearer, const char* name, Kind kind, object::HandleBits handle) noexcept {
  const KindWords words = words_of(kind);
  if (kind == Kind::kComm && (handle == bits(MPI_COMM_WORLD) || handle == bits(MPI_COMM_SELF))) {
    return fail(hearer,
                Error::make(MPI_ERR_COMM,
                            "argument %s is %s, which is there between MPI_Init and MPI_Finalize "
                            "only; with sessions MPI_Comm_create_from_group makes communicators",
                            name, constant_name(handle)));
  }
  return fail(hearer, Error::make(words.error_class, "argument %s is %s, but must be %s", name,
                                  what_is(handle).c_str(), words.article));
}

int uncommitted(Hearer hearer, const char* name) noexcept {
  return fail(hearer, Error::make(MPI_ERR_TYPE,
                                  "argument %s is a datatype that is not committed; call "
                                  "MPI_Type_commit before it is used for communication",
                                  name));
}

int null_pointer(Hearer hearer, const char* name, int error_class) noexcept {
  return fail(hearer, Error::make(error_class, "argument %s is a null pointer", name));
}

int bad_buffer_at(Hearer hearer, const char* name, const void* buffer) noexcept {
  return fail(hearer, Error::make(MPI_ERR_BUFFER, "argument %s is %s, but data is expected there",
                                  name, special_name(buffer)));
}

int bad_in_place(Hearer hearer, const char* name) noexcept {
  const comm::Comm& comm = *comm_of(hearer);
  return fail(hearer,
              Error::make(MPI_ERR_BUFFER,
                          comm.is_inter() ? "argument %s is MPI_IN_PLACE, which is not allowed "
                                            "in %s, which is an intercommunicator"
                                          : "argument %s is MPI_IN_PLACE, which is not allowed at "
                                            "this rank of %s",
                          name, comm::describe(comm).c_str()));
}

int bad_rank(Hearer hearer, const char* name, int rank, unsigned also) noexcept {
  const char* more = "";
  if (also == (kProcNull | kAnySource)) {
    more = "; MPI_ANY_SOURCE and MPI_PROC_NULL are allowed too";
  } else if (also == kProcNull) {
    more = rank == MPI_ANY_SOURCE ? "; MPI_ANY_SOURCE is only for receives"
                                  : "; MPI_PROC_NULL is allowed too";
  }
  return fail(hearer, Error::make(MPI_ERR_RANK, "argument %s is %d, but %s%s", name, rank,
                                  ranks_of(comm_of(hearer)).c_str(), more));
}

int bad_root(Hearer hearer, const char* name, int root) noexcept {
  const comm::Comm* comm = comm_of(hearer);
  const bool inter = comm != nullptr && comm->is_inter();
  return fail(hearer, Error::make(MPI_ERR_ROOT, "argument %s is %d, but %s%s", name, root,
                                  ranks_of(comm).c_str(),
                                  inter ? "; MPI_ROOT and MPI_PROC_NULL are allowed too" : ""));
}

int bad_tag(Hearer hearer, const char* name, int tag, bool any) noexcept {
  return fail(hearer, Error::make(MPI_ERR_TAG, "argument %s is %d, but tags go from 0 to %d%s",
                                  name, tag, INT_MAX,
                                  any                  ? "; MPI_ANY_TAG is allowed too"
                                  : tag == MPI_ANY_TAG ? "; MPI_ANY_TAG is only for receives"
                                                       : ""));
}

int negative(Hearer hearer, const char* name, MPI_Count value, int error_class) noexcept {
  return fail(hearer, Error::make(error_class, "argument %s is %lld, but must not be negative",
                                  name, static_cast<long long>(value)));
}

int too_many(Hearer hearer, const char* name, MPI_Count count,
             const datatype::Datatype& type) noexcept {
  return fail(hearer,
              Error::make(MPI_ERR_COUNT,
                          "argument %s is %lld, but so many elements of %s fit into no memory",
                          name, static_cast<long long>(count), datatype::describe(type).c_str()));
}

int negative_element(Hearer hearer, const char* name, int index, MPI_Count value) noexcept {
  return fail(hearer,
              Error::make(MPI_ERR_COUNT, "argument %s[%d] is %lld, but must not be negative", name,
                          index, static_cast<long long>(value)));
}

}  // namespace heddle::api
