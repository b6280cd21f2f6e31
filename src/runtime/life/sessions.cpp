#include "runtime/life/sessions.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "mpi/comm_make/comm_make.h"
#include "mpi/lifetime/making.h"
#include "mpi/object/handle_table.h"
#include "mpi/p2p/buffered.h"
#include "runtime/crew/members.h"
#include "runtime/life/uses.h"

namespace heddle::runtime {

using object::Kind;
using object::Ref;

namespace {

struct Pset {
  const char* name;
  Ref<group::Group> WorldGroups::*group;
};
constexpr std::array<Pset, 2> kPsets = {
    {{"mpi://WORLD", &WorldGroups::world}, {"mpi://SELF", &WorldGroups::self}}};

Error find(const char* name, const Pset** found) {
  *found = std::ranges::find_if(
      kPsets, [name](const Pset& pset) { return strcasecmp(pset.name, name) == 0; });
  if (*found != kPsets.end()) return {};
  return Error::make(MPI_ERR_ARG,
                     "argument pset_name is \"%s\", but the process sets are mpi://WORLD and "
                     "mpi://SELF",
                     name);
}

// Made for one call: nothing of it stays except what its messages need.
Ref<comm::Comm> all_processes() {
  const lifetime::Making making;
  return Ref<comm::Comm>::adopt(new comm::Comm(comm::kGroupsContext, world_groups().world, {},
                                               world::here().process->number));
}

}  // namespace

Error init_session(const info::Info* hints, error::Errhandler& handler, Session** out) {
  if (Error e = error::check_fits(handler, Kind::kSession)) return e;
  int level = 0;
  if (Error e = session::wanted_level(hints, &level)) return e;
  if (Error e = begin_use()) return e;
  *out = new Session(level, Ref<error::Errhandler>(&handler));
  return {};
}

Error finalize_session(MPI_Session* handle) {
  const Session* const session = session::from_handle(*handle);
  if (session == nullptr) {
    return Error::make(
        MPI_ERR_SESSION, "argument session is %s",
        *handle == MPI_SESSION_NULL ? "MPI_SESSION_NULL" : "not a session, or already finalized");
  }
  const p2p::BufferOwner owner(*session);
  if (Error e = end_use()) return e;
  p2p::forget_buffer(owner);
  Ref<object::Object>::adopt(
      object::retire(Kind::kSession, reinterpret_cast<object::HandleBits>(*handle)));
  *handle = MPI_SESSION_NULL;
  return {};
}

Error count_psets(int* count) {
  *count = static_cast<int>(kPsets.size());
  return {};
}

Error get_pset_name(int n, int* length, char* name) {
  if (n < 0 || n >= static_cast<int>(kPsets.size())) {
    return Error::make(MPI_ERR_ARG, "argument n is %d, but the process sets go from 0 to %d", n,
                       static_cast<int>(kPsets.size()) - 1);
  }
  if (*length < 0) {
    return Error::make(MPI_ERR_ARG, "argument pset_len is %d, but must not be negative", *length);
  }
  const std::string_view wanted = kPsets[static_cast<std::size_t>(n)].name;
  if (*length > 0) {
    if (name == nullptr) {
      return Error::make(MPI_ERR_ARG, "argument pset_name is a null pointer, but pset_len is %d",
                         *length);
    }
    const std::size_t copied = wanted.copy(name, static_cast<std::size_t>(*length) - 1);
    name[copied] = '\0';
  }
  *length = static_cast<int>(wanted.size()) + 1;
  return {};
}

Error get_pset_info(const char* name, info::Info** out) {
  const Pset* pset = nullptr;
  if (Error e = find(name, &pset)) return e;
  auto* const about = new info::Info();
  about->set("mpi_size", std::to_string((world_groups().*pset->group)->size()));
  *out = about;
  return {};
}

Error group_from_pset(const Session& session, const char* name, group::Group** out) {
  const Pset* pset = nullptr;
  if (Error e = find(name, &pset)) return e;
  *out = new group::Group(*(world_groups().*pset->group), group::SessionRef(&session));
  return {};
}

Error create_from_group(group::Group& members, const char* tag, const info::Info* hints,
                        error::Errhandler& handler, comm::Comm** out) {
  return comm_make::create_from_group(*all_processes(), members, tag, hints, handler, out);
}

Error create_from_groups(group::Group& local, int local_leader, group::Group* remote,
                         int remote_leader, const char* tag, const info::Info* hints,
                         error::Errhandler& handler, comm::Comm** out) {
  return comm_make::create_from_groups(*all_processes(), local, local_leader, remote, remote_leader,
                                       tag, hints, handler, out);
}

}  // namespace heddle::runtime
