#include "mpi/comm/comm_attributes.h"

#include <climits>

#include "mpi/error/error_codes.h"

namespace heddle::comm {

using error::Errhandler;
using object::Kind;
using object::Ref;

namespace {

const RankLocal<Environment> environment_of_rank;

// The predefined value, or nullptr if the keyval is none or its value is not known.
const int* find_predefined(int keyval) noexcept {
  Environment& known = environment();
  switch (keyval) {
    case MPI_TAG_UB:
      return &known.tag_upper_bound;
    case MPI_HOST:
      return &known.host;
    case MPI_IO:
      return &known.io;
    case MPI_WTIME_IS_GLOBAL:
      return &known.wtime_is_global;
    case MPI_APPNUM:
      return known.application < 0 ? nullptr : &known.application;
    case MPI_UNIVERSE_SIZE:
      return &known.universe_size;
    case MPI_LASTUSEDCODE:
      return &error::last_used_code();
  }
  return nullptr;
}

bool is_predefined(int keyval) noexcept {
  return keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
}

}  // namespace

Environment::Environment() noexcept : tag_upper_bound(INT_MAX) {
  world::Host* const here = world::here().host;
  if (here == nullptr) return;
  universe_size = here->job().size();
  wtime_is_global = here->job().on_one_node();
}

Environment& environment() noexcept {
  return environment_of_rank.get();
}

Error get_attribute(Comm& comm, int keyval, void* value, int* flag) {
  void*& out = *static_cast<void**>(value);
  if (is_predefined(keyval)) {
    const int* found = find_predefined(keyval);
    *flag = found != nullptr;
    if (found != nullptr) out = const_cast<int*>(found);
    return {};
  }
  return comm.attributes().get(keyval, comm, &out, flag);
}

Error put_attribute(Comm& comm, int keyval, void* value) {
  return comm.attributes().put(keyval, value, comm);
}

Error delete_attribute(Comm& comm, int keyval) {
  return comm.attributes().erase(keyval, comm);
}

Error get_errhandler(const Comm& comm, Errhandler** out) {
  *out = comm.errhandler().leak();
  return {};
}

Error set_errhandler(Comm& comm, Errhandler& handler) {
  if (Error e = error::check_fits(handler, Kind::kComm)) return e;
  comm.set_errhandler(Ref<Errhandler>(&handler));
  return {};
}

Error call_errhandler(Comm& comm, int code) {
  const std::string sentence =
      "MPI_Comm_call_errhandler: the program reports " + error::describe_code(code);
  error::raise_error(*comm.errhandler(), comm.handle(), code, sentence);
  return {};
}

}  // namespace heddle::comm
