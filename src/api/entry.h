// entry.h — what every MPI function does before and after its work: checks, handles, errors.
//
// The functions themselves are generated (bindings/generate.py) and read like this:
//
//   Entry entry{"MPI_Send", …};  … notes the arguments for a trace. Before it, in functions that do
//                                not communicate: take_due_turn();
//   if (!entry.running()) [[unlikely]] return entry.not_running();
//   comm::Comm* const comm = entry.comm(comm_);
//   if (comm == nullptr) [[unlikely]] return bad_handle(entry, "comm", Kind::kComm, bits(comm_));
//   if (no_peer(*comm, dest) ...) [[unlikely]] return bad_rank(entry, "dest", dest, kProcNull);
//   ...
//   return finish(entry, p2p::send(...));
//
// The tests are inline and cheap; the code that makes sentences is out of line and cold. An error
// runs the handler of the communicator, session, window or file that the call names or is to make,
// or of the session from which a named group comes, else that of MPI_COMM_SELF, else the initial
// one, once.
//
// Thread safety: an Entry belongs to its call's strand.

#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/standing.h"
#include "exec/observe/call_note.h"
#include "exec/observe/observe.h"
#include "exec/rank/rank.h"
#include "exec/ult/due_turn.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/io/file.h"
#include "mpi/object/count_array.h"
#include "mpi/object/handle_table.h"
#include "mpi/rma/window.h"
#include "mpi/session/session.h"
#include "runtime/crew/state.h"

namespace heddle::api {

using object::Kind;
using observe::CallNote;

// The values that an argument may have besides the ranks of the communicator.
enum Also : unsigned { kNothing = 0, kProcNull = 1, kAnySource = 2 };

template <class Handle>
object::HandleBits bits(Handle handle) noexcept {
  return reinterpret_cast<object::HandleBits>(handle);
}

// True if `rank` is no peer of the communicator. (Negative ranks become large unsigned ones.)
inline bool no_peer(const comm::Comm& comm, int rank) noexcept {
  return static_cast<unsigned>(rank) >= static_cast<unsigned>(comm.peers().size());
}

// True if the root is not one: MPI_ROOT and MPI_PROC_NULL are for intercommunicators (§6.2.3).
inline bool no_root(const comm::Comm& comm, int root) noexcept {
  return no_peer(comm, root) && !(comm.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL));
}

// Which arguments of a rooted collective count at this rank (§6.2.3).
struct Part {
  bool at_root;      // those that are significant only at the root
  bool contributes;  // those of all ranks that are not only the root
};
inline Part part_of(const comm::Comm& comm, int root) noexcept {
  if (comm.is_inter()) return {root == MPI_ROOT, root >= 0};
  return {root == comm.rank(), true};
}

// True if the address is null or one of the ABI's special addresses, which lead to no memory.
inline bool special_address(const void* buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer) <=
         reinterpret_cast<std::uintptr_t>(MPI_BUFFER_AUTOMATIC);
}

// The type of a message. If is_nothing(), which says that it has no element and no peer, the null
// handle stands for any type.
template <class IsNothing>
[[gnu::always_inline]] inline datatype::Datatype* type_of_message(MPI_Datatype handle,
                                                                  IsNothing is_nothing) noexcept {
  datatype::Datatype* const type = datatype::from_handle(handle);
  if (type == nullptr && handle == MPI_DATATYPE_NULL && is_nothing()) [[unlikely]]
    return datatype::from_handle(MPI_BYTE);
  return type;
}

// True if the buffer cannot hold data. MPI_BOTTOM, which is null, needs a type with absolute
// addresses, so it is wrong with a named type (§5.1.12).
inline bool bad_buffer(const void* buffer, MPI_Count count,
                       const datatype::Datatype* type) noexcept {
  if (!special_address(buffer)) [[likely]]
    return false;
  if (buffer != MPI_BOTTOM) return true;
  return count > 0 && type != nullptr && type->named() != MPI_DATATYPE_NULL && type->size() > 0;
}

// True if a piece of a buffer is missing that is cut into one piece for each rank: counts[i]
// elements that begin displacements[i] elements behind its address, or with types of their own
// (MPI_Alltoallw) that many bytes. With MPI_BOTTOM displacements may be absolute addresses. So a
// piece of a named type counts as missing only if it begins where no system has memory.
[[gnu::cold, gnu::noinline]] bool missing_piece(object::CountArray counts,
                                                object::CountArray displacements,
                                                const datatype::Datatype* type, int ranks) noexcept;
[[gnu::cold, gnu::noinline]] bool missing_piece(object::CountArray counts,
                                                object::CountArray displacements,
                                                const MPI_Datatype* types, int ranks) noexcept;
template <class Type>
bool bad_pieces(const void* buffer, object::CountArray counts, object::CountArray displacements,
                const Type* type, int ranks) noexcept {
  if (!special_address(buffer)) [[likely]]
    return false;
  return buffer != MPI_BOTTOM || missing_piece(counts, displacements, type, ranks);
}

inline MPI_Count total(object::CountArray counts, int ranks) noexcept {
  MPI_Count sum = 0;
  for (int i = 0; i < ranks; ++i) sum += counts[i];
  return sum;
}

// True if no address space has room for `count` elements. Their bytes could overflow MPI_Count.
[[gnu::cold, gnu::noinline]] bool exceeds_memory_slow(MPI_Count count,
                                                      const datatype::Datatype& type) noexcept;
inline bool exceeds_memory(MPI_Count count, const datatype::Datatype* type) noexcept {
  return (count > INT_MAX || type->is_vast()) && exceeds_memory_slow(count, *type);
}

// The first index of a negative element, or -1.
template <class Counts>
int first_negative(const Counts& counts, MPI_Count size) noexcept {
  for (int i = 0; i < size; ++i) {
    if (counts[i] < 0) return i;
  }
  return -1;
}

// A count as an int output argument returns it: MPI_UNDEFINED if it does not fit (§2.5.8).
inline int narrow(MPI_Count count) noexcept {
  return count > INT_MAX ? MPI_UNDEFINED : static_cast<int>(count);
}

// Called at the beginning of functions that neither wait nor let others run by themselves: a
// program may call them in a loop. May switch.
[[gnu::always_inline]] inline void take_due_turn() noexcept {
  if (ult::turn_is_due()) [[unlikely]]
    ult::take_due_turn(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

// What hears of a call's errors: the object that it names, or else the initial error handler.
struct Hearer {
  // The handle of a communicator or session, and not the object, which another thread may free
  // while the call waits.
  object::HandleBits named = 0;
  // The session of a group, which the group keeps; the error handler of what the call is to make;
  // or a window or file, which the standard keeps from ending while a call of its rank uses it.
  const object::Object* object = nullptr;
};

// Its fields stay in registers, since no function outside of this file gets its address.
class Entry {
 public:
  explicit Entry(const char* call) noexcept : outer_(Standing::mine.call) {
    Standing::mine.call = call;
    if (observe::is_on()) [[unlikely]]
      observe::call_begins(outer_ != nullptr);
  }
  // `note` tells the trace what the call was asked for, by note_arguments(); it is called only
  // where one is recorded.
  template <class Note>
  Entry(const char* call, Note note) noexcept : Entry(call) {
    if (observe::is_on() && outer_ == nullptr) [[unlikely]]
      note();
  }
  ~Entry() {
    if (observe::is_on()) [[unlikely]]
      observe::call_ends(outer_ != nullptr);
    Standing::mine.call = outer_;
  }
  Entry(Entry&&) = delete;

  operator Hearer() const noexcept { return hearer_; }

  // True between MPI_Init and MPI_Finalize.
  [[gnu::always_inline]] bool running() const noexcept {
    return (outer_ == nullptr && runtime::mpi_is_running()) || running_slow(outer_);
  }

  // For functions that are allowed at any time, and need a rank because they handle objects: makes
  // the caller one if it has none.
  bool has_rank() const noexcept {
    return (outer_ == nullptr && Rank::current() != nullptr) || has_rank_slow(outer_);
  }

  // Looks up a communicator; errors from here on go to its error handler.
  [[gnu::always_inline]] comm::Comm* comm(MPI_Comm handle) noexcept {
    hearer_.named = bits(handle);
    return comm::from_handle(handle);
  }

  // Looks up a session; errors from here on go to its error handler.
  session::Session* session(MPI_Session handle) noexcept {
    hearer_.named = bits(handle);
    return session::from_handle(handle);
  }

  // Looks up a group; errors from here on go to the session from which it comes, if no group before
  // it has one.
  group::Group* group(MPI_Group handle) noexcept {
    group::Group* const found = group::from_handle(handle);
    if (found != nullptr && hearer_.object == nullptr) hearer_.object = found->session().get();
    return found;
  }

  // Looks up a window; errors from here on go to its error handler.
  [[gnu::always_inline]] rma::Window* window(MPI_Win handle) noexcept {
    rma::Window* const found = rma::from_handle(handle);
    hearer_.object = found;
    return found;
  }

  // Looks up a file; errors from here on go to its error handler, or to that of MPI_FILE_NULL.
  io::File* file(MPI_File handle) noexcept {
    io::File* const found = io::from_handle(handle);
    hearer_.object = found != nullptr ? found : no_file();
    return found;
  }
  // Errors from here on go to the error handler of MPI_FILE_NULL: the call has no file yet.
  void listen_for_files() noexcept { hearer_.object = no_file(); }

  // Errors from here on go to the error handler of the session or communicator (`made`) that the
  // call is to make.
  void listen(error::Errhandler& handler, Kind made) noexcept {
    if (handler.fits(made)) hearer_.object = &handler;
  }

  // For a call that is not allowed where it is made.
  int not_running() const noexcept { return not_running(outer_); }
  int no_tools() const noexcept { return no_tools(outer_); }

 private:
  static const object::Object* no_file() noexcept { return &io::no_file(); }
  static bool running_slow(const char* outer) noexcept;
  static bool has_rank_slow(const char* outer) noexcept;
  [[gnu::cold, gnu::noinline]] static int not_running(const char* outer) noexcept;
  [[gnu::cold, gnu::noinline]] static int no_tools(const char* outer) noexcept;

  const char* const outer_;  // the enclosing MPI call, if this call is made from a callback
  Hearer hearer_;
};

// Arguments for a trace, as they came; handles and counts may be wrong.
struct Arguments {
  std::uint32_t parts = 0;  // of a CallNote
  int dest = 0, source = 0, tag = 0;
  MPI_Count count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
};
[[gnu::cold, gnu::noinline]] void note_arguments(const Arguments& arguments) noexcept;

// The end of a call: its return code. May switch, when an error handler does.
[[gnu::cold, gnu::noinline]] int fail(Hearer hearer, Error error) noexcept;
inline int finish(Hearer hearer, Error error) noexcept {
  return error ? fail(hearer, std::move(error)) : MPI_SUCCESS;
}
// For a call that names no communicator but knows the one whose error it is; null is allowed.
[[gnu::cold, gnu::noinline]] int fail_on(comm::Comm* comm, Error error) noexcept;
// For a call that is to free the communicator.
[[gnu::cold, gnu::noinline]] int fail_on(MPI_Comm comm, Error error) noexcept;

// Each of these says what is wrong with an argument and fails.
[[gnu::cold, gnu::noinline]] int bad_handle(Hearer hearer, const char* name, Kind kind,
                                            object::HandleBits handle) noexcept;
[[gnu::cold, gnu::noinline]] int uncommitted(Hearer hearer, const char* name) noexcept;
[[gnu::cold, gnu::noinline]] int null_pointer(Hearer hearer, const char* name,
                                              int error_class) noexcept;
[[gnu::cold, gnu::noinline]] int bad_buffer_at(Hearer hearer, const char* name,
                                               const void* buffer) noexcept;
[[gnu::cold, gnu::noinline]] int bad_in_place(Hearer hearer, const char* name) noexcept;
[[gnu::cold, gnu::noinline]] int bad_rank(Hearer hearer, const char* name, int rank,
                                          unsigned also) noexcept;
[[gnu::cold, gnu::noinline]] int bad_root(Hearer hearer, const char* name, int root) noexcept;
[[gnu::cold, gnu::noinline]] int bad_tag(Hearer hearer, const char* name, int tag,
                                         bool any) noexcept;
[[gnu::cold, gnu::noinline]] int negative(Hearer hearer, const char* name, MPI_Count value,
                                          int error_class) noexcept;
[[gnu::cold, gnu::noinline]] int too_many(Hearer hearer, const char* name, MPI_Count count,
                                          const datatype::Datatype& type) noexcept;
[[gnu::cold, gnu::noinline]] int negative_element(Hearer hearer, const char* name, int index,
                                                  MPI_Count value) noexcept;

// Calls of the tools interface, which call no error handler. True between MPI_T_init_thread and
// MPI_T_finalize.
bool tools_are_open() noexcept;
[[gnu::cold, gnu::noinline]] int tell_slow(Error error) noexcept;
inline int tell(Error error) noexcept {
  return error ? tell_slow(std::move(error)) : MPI_SUCCESS;
}
[[gnu::cold, gnu::noinline]] int tools_are_closed() noexcept;
[[gnu::cold, gnu::noinline]] int missing_for_tools(const char* name) noexcept;

}  // namespace heddle::api
