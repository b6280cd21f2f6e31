#include "mpi/session/session.h"

#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "mpi/error/error_codes.h"

namespace heddle::session {

using error::Errhandler;
using object::Kind;
using object::Ref;

namespace {

constexpr const char* kLevelHint = "thread_level";
constexpr std::array<std::pair<int, const char*>, 4> kLevels = {
    {{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
     {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
     {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
     {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}}};

const char* name_of(int level) noexcept {
  for (const auto& [value, name] : kLevels) {
    if (value == level) return name;
  }
  return kLevels.back().second;
}

// The number of the process's last session.
std::atomic<Number> last_number{kNone};

}  // namespace

Session::Session(int thread_level, Ref<Errhandler> handler) noexcept
    : Object(Kind::kSession),
      number_(last_number.fetch_add(1, std::memory_order_relaxed) + 1),
      thread_level_(thread_level),
      errhandler_(std::move(handler)) {}

Ref<Errhandler> Session::errhandler() const noexcept {
  SpinGuard guard(lock_);
  return errhandler_;
}

void Session::set_errhandler(Ref<Errhandler> handler) noexcept {
  SpinGuard guard(lock_);
  std::swap(errhandler_, handler);
}

Session* from_handle(MPI_Session handle) noexcept {
  return object::find_as<Session>(Kind::kSession, handle);
}

Ref<Session> kept_from_handle(MPI_Session handle) noexcept {
  const auto bits = reinterpret_cast<object::HandleBits>(handle);
  return Ref<Session>::adopt(static_cast<Session*>(object::find_and_retain(Kind::kSession, bits)));
}

Error wanted_level(const info::Info* hints, int* level) {
  *level = MPI_THREAD_MULTIPLE;
  const std::optional<std::string> given = hints != nullptr ? hints->get(kLevelHint) : std::nullopt;
  if (!given) return {};
  for (const auto& [value, name] : kLevels) {
    if (*given != name) continue;
    *level = value;
    return {};
  }
  return Error::make(MPI_ERR_INFO_VALUE,
                     "argument info has thread_level = \"%s\", but it must be MPI_THREAD_SINGLE, "
                     "MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE",
                     given->c_str());
}

Error get_info(const Session& session, info::Info** out) {
  auto* const used = new info::Info();
  used->set(kLevelHint, name_of(session.thread_level()));
  used->set("mpi_memory_alloc_kinds", "mpi,system");
  *out = used;
  return {};
}

Error get_errhandler(const Session& session, Errhandler** out) {
  *out = session.errhandler().leak();
  return {};
}

Error set_errhandler(Session& session, Errhandler& handler) {
  if (Error e = error::check_fits(handler, Kind::kSession)) return e;
  session.set_errhandler(Ref<Errhandler>(&handler));
  return {};
}

Error call_errhandler(const Session& session, int code) {
  const std::string sentence =
      "MPI_Session_call_errhandler: the program reports " + error::describe_code(code);
  error::raise_error(*session.errhandler(), session.handle(), code, sentence);
  return {};
}

}  // namespace heddle::session
