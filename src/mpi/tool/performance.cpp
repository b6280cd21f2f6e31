#include "mpi/tool/performance.h"

#include <cstring>
#include <utility>

#include "mpi/tool/out.h"
#include "mpi/tool/state.h"
#include "mpi/tool/variables.h"

namespace heddle::tool {

namespace {

constexpr double kNanoseconds = 1e9;  // in a second

// ---- what a session has counted; with the state's lock

void start(Counted& counted) noexcept {
  if (counted.started) return;
  counted.started = true;
  counted.base = counted.variable->read();
}

std::uint64_t value_now(const Counted& counted) noexcept {
  return counted.before + (counted.started ? counted.variable->read() - counted.base : 0);
}

void stop(Counted& counted) noexcept {
  counted.before = value_now(counted);
  counted.started = false;
}

void set(Counted& counted, std::uint64_t value) noexcept {
  counted.before = value;
  if (counted.started) counted.base = counted.variable->read();
}

// Gives the value and resets it to 0; no event in between is lost.
std::uint64_t take(Counted& counted) noexcept {
  const std::uint64_t own = counted.started ? counted.variable->read() : counted.base;
  const std::uint64_t value = counted.before + own - counted.base;
  counted.before = 0;
  counted.base = own;
  return value;
}

// ---- values as the caller has them

void put(const Variable& variable, std::uint64_t value, void* buf) noexcept {
  if (variable.is_timer()) {
    *static_cast<double*>(buf) = static_cast<double>(value) / kNanoseconds;
  } else {
    *static_cast<unsigned long long*>(buf) = value;
  }
}

std::uint64_t got(const Variable& variable, const void* buf) noexcept {
  if (!variable.is_timer()) return *static_cast<const unsigned long long*>(buf);
  return static_cast<std::uint64_t>(*static_cast<const double*>(buf) * kNanoseconds);
}

// ---- finding

Error find_session(State& state, MPI_T_pvar_session session, Session** out) REQUIRES(state.lock) {
  const auto found = state.sessions.find(key_of(session));
  if (found == state.sessions.end()) {
    return Error::make(MPI_T_ERR_INVALID_SESSION, "argument pe_session is %p, which is no session",
                       static_cast<void*>(session));
  }
  *out = &found->second;
  return {};
}

Error find_handle(State& state, MPI_T_pvar_session session, MPI_T_pvar_handle handle, Counted** out)
    REQUIRES(state.lock) {
  Session* found = nullptr;
  if (Error e = find_session(state, session, &found)) return e;
  const auto counted = found->find(key_of(handle));
  if (counted == found->end()) {
    return bad_handle("handle", handle, "a performance variable of this session");
  }
  *out = &counted->second;
  return {};
}

Error refuse(const Counted& counted, int error_class, const char* what) {
  return Error::make(error_class, "%s says what is now and cannot be %s", counted.variable->name,
                     what);
}

// Does `act` to the handle, or to all of the session for which it can be done.
template <class Act>
Error act_on(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int error_class,
             const char* what, Act&& act) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  if (handle == MPI_T_PVAR_ALL_HANDLES) {
    Session* all = nullptr;
    if (Error e = find_session(state, session, &all)) return e;
    for (auto& [key, counted] : *all) {
      if (counted.variable->sums()) act(counted);
    }
    return {};
  }
  Counted* counted = nullptr;
  if (Error e = find_handle(state, session, handle, &counted)) return e;
  if (!counted->variable->sums()) return refuse(*counted, error_class, what);
  act(*counted);
  return {};
}

Error check_variable(int index) {
  return check_index("pvar_index", index, variable_count(), "performance variables");
}

}  // namespace

Error pvar_get_num(int* num_pvar) {
  *num_pvar = variable_count();
  return {};
}

Error pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                    int* bind, int* readonly, int* continuous, int* atomic) {
  if (Error e = check_variable(pvar_index)) return e;
  const Variable& wanted = variable(pvar_index);
  give_string(wanted.name, name, name_len);
  give(verbosity, wanted.verbosity);
  give(var_class, wanted.variable_class);
  give(datatype, wanted.datatype());
  give(enumtype, MPI_T_ENUM_NULL);
  give_string(wanted.text, desc, desc_len);
  give(bind, MPI_T_BIND_NO_OBJECT);
  give(readonly, !wanted.sums());
  give(continuous, !wanted.sums());
  give(atomic, wanted.sums());
  return {};
}

Error pvar_get_index(const char* name, int var_class, int* pvar_index) {
  for (int i = 0; i < variable_count(); ++i) {
    if (std::strcmp(variable(i).name, name) != 0 || variable(i).variable_class != var_class) {
      continue;
    }
    *pvar_index = i;
    return {};
  }
  return no_such_name("performance variables of this class", name);
}

Error pvar_session_create(MPI_T_pvar_session* session) {
  const Key key = new_key();
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  state.sessions.try_emplace(key);
  *session = reinterpret_cast<MPI_T_pvar_session>(key);
  return {};
}

Error pvar_session_free(MPI_T_pvar_session* session) {
  State& state = state_of_rank.get();
  Session freed;  // destroyed without the lock
  SpinGuard guard(state.lock);
  Session* found = nullptr;
  if (Error e = find_session(state, *session, &found)) return e;
  freed = std::exchange(*found, {});
  state.sessions.erase(key_of(*session));
  *session = MPI_T_PVAR_SESSION_NULL;
  return {};
}

Error pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, MPI_T_pvar_handle* handle,
                        int* count) {
  const Key key = new_key();
  if (Error e = check_variable(pvar_index)) return e;
  if (variable(pvar_index).prepare != nullptr) variable(pvar_index).prepare();
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  Session* found = nullptr;
  if (Error e = find_session(state, session, &found)) return e;
  found->try_emplace(key).first->second.variable = &variable(pvar_index);
  *handle = reinterpret_cast<MPI_T_pvar_handle>(key);
  *count = 1;
  return {};
}

Error pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  Counted* counted = nullptr;
  if (Error e = find_handle(state, session, *handle, &counted)) return e;
  state.sessions.find(key_of(session))->second.erase(key_of(*handle));
  *handle = MPI_T_PVAR_HANDLE_NULL;
  return {};
}

Error pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, "started", start);
}

Error pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped", stop);
}

Error pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(session, handle, MPI_T_ERR_PVAR_NO_WRITE, "reset",
                [](Counted& counted) { set(counted, 0); });
}

Error pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  State& state = state_of_rank.get();
  const Variable* level = nullptr;
  {
    SpinGuard guard(state.lock);
    Counted* counted = nullptr;
    if (Error e = find_handle(state, session, handle, &counted)) return e;
    if (counted->variable->sums()) {
      put(*counted->variable, value_now(*counted), buf);
      return {};
    }
    level = counted->variable;
  }
  put(*level, level->read(), buf);  // without the lock, since it takes others
  return {};
}

Error pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  Counted* counted = nullptr;
  if (Error e = find_handle(state, session, handle, &counted)) return e;
  if (!counted->variable->sums()) return refuse(*counted, MPI_T_ERR_PVAR_NO_WRITE, "written");
  set(*counted, got(*counted->variable, buf));
  return {};
}

Error pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  State& state = state_of_rank.get();
  SpinGuard guard(state.lock);
  Counted* counted = nullptr;
  if (Error e = find_handle(state, session, handle, &counted)) return e;
  if (!counted->variable->sums()) {
    return refuse(*counted, MPI_T_ERR_PVAR_NO_ATOMIC, "read and reset at once");
  }
  put(*counted->variable, take(*counted), buf);
  return {};
}

}  // namespace heddle::tool
