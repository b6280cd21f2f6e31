#include "mpi/rma/query.h"

#include <cstring>

#include "mpi/error/error_codes.h"
#include "mpi/rma/checks.h"
#include "mpi/rma/hints.h"

namespace heddle::rma {

using error::Errhandler;
using info::Info;
using object::Kind;
using object::Ref;

namespace {

// The predefined value, or nullptr if the keyval is none.
const void* find_predefined(Window& window, int keyval) noexcept {
  const Window::Facts& facts = window.facts();
  switch (keyval) {
    case MPI_WIN_BASE:
      return window.mine().base;
    case MPI_WIN_SIZE:
      return &facts.size;
    case MPI_WIN_DISP_UNIT:
      return &facts.unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &facts.flavor;
    case MPI_WIN_MODEL:
      return &facts.model;
    default:
      return nullptr;
  }
}

bool is_predefined(int keyval) noexcept {
  return keyval == MPI_WIN_BASE || keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT ||
         keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

// The lowest rank that has memory; MPI_PROC_NULL if none has.
int first_with_memory(const Window& window) noexcept {
  for (int rank = 0; rank < window.size(); ++rank) {
    if (window.member(rank).size > 0) return rank;
  }
  return MPI_PROC_NULL;
}

}  // namespace

Error get_attribute(Window& window, int keyval, void* value, int* flag) {
  void*& out = *static_cast<void**>(value);
  if (is_predefined(keyval)) {
    out = const_cast<void*>(find_predefined(window, keyval));
    *flag = 1;
    return {};
  }
  return window.attributes().get(keyval, window, &out, flag);
}

Error put_attribute(Window& window, int keyval, void* value) {
  return window.attributes().put(keyval, value, window);
}

Error delete_attribute(Window& window, int keyval) {
  return window.attributes().erase(keyval, window);
}

Error get_errhandler(const Window& window, Errhandler** out) {
  *out = window.errhandler().leak();
  return {};
}

Error set_errhandler(Window& window, Errhandler& handler) {
  if (Error e = error::check_fits(handler, Kind::kWin)) return e;
  window.set_errhandler(Ref<Errhandler>(&handler));
  return {};
}

Error call_errhandler(const Window& window, int code) {
  const std::string sentence =
      "MPI_Win_call_errhandler: the program reports " + error::describe_code(code);
  error::raise_error(*window.errhandler(), window.handle(), code, sentence);
  return {};
}

Error get_name(const Window* window, char* name, int* length) {
  const std::string text = window != nullptr ? window->name() : "MPI_WIN_NULL";
  name[text.copy(name, MPI_MAX_OBJECT_NAME - 1)] = '\0';
  *length = static_cast<int>(text.size());
  return {};
}

Error set_name(Window& window, const char* name) {
  window.set_name(std::string(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)));
  return {};
}

Error get_hints(const Window& window, Info** out) {
  *out = new Info(window.info()->entries());
  return {};
}

Error set_hints(Window& window, const Info* hints) {
  if (hints == nullptr) return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_NULL");
  window.set_info(hints_in_use(window.info().get(), hints));
  return {};
}

Error get_group(const Window& window, group::Group** out) {
  *out = object::Ref<group::Group>(&window.comm().group()).leak();
  return {};
}

Error shared_query(const Window& window, int rank, MPI_Count* size, MPI_Count* unit, void* base) {
  if (window.flavor() == MPI_WIN_FLAVOR_DYNAMIC) {
    return Error::make(MPI_ERR_RMA_FLAVOR,
                       "%s was made by MPI_Win_create_dynamic, so no rank has a segment of its own",
                       describe(window).c_str());
  }
  if (Error e = check_rank(rank, window)) return e;
  const int asked = rank == MPI_PROC_NULL ? first_with_memory(window) : rank;
  *static_cast<void**>(base) = nullptr;
  *size = 0;
  *unit = 0;
  if (asked == MPI_PROC_NULL) return {};
  const Member& member = window.member(asked);
  *static_cast<void**>(base) = member.base;
  *size = member.size;
  *unit = member.unit;
  return {};
}

}  // namespace heddle::rma
