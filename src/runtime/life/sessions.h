// sessions.h — sessions and the sets of processes that they name (MPI 5.0 §11.3, §7.4.2
// MPI_Comm_create_from_group).
//
//   set          n   its processes
//   -----------  -   ------------------------
//   mpi://WORLD  0   all that the job began with
//   mpi://SELF   1   the calling one
//
// A name means the same in capital and in small letters. All is local, except the making of
// communicators.
//
// Thread safety: any strand of the rank.

#pragma once

#include <mpi.h>

#include "base/error.h"
#include "mpi/comm/comm.h"
#include "mpi/session/session.h"

namespace heddle::runtime {

using session::Session;

Error init_session(const info::Info* hints, error::Errhandler& handler, Session** out);

// Local, except for what the last use of the library does at its end (uses.h). May switch.
Error finalize_session(MPI_Session* handle);

Error count_psets(int* count);
// `*length` is the room for the name, and becomes what that needs, both with the null character;
// with no room nothing is written.
Error get_pset_name(int n, int* length, char* name);
Error get_pset_info(const char* name, info::Info** out);
Error group_from_pset(const Session& session, const char* name, group::Group** out);

// Collective over the group, without a parent: the members send to each other in a context that all
// ranks have. Local if the group is empty: then `*out` is null.
Error create_from_group(group::Group& members, const char* tag, const info::Info* hints,
                        error::Errhandler& handler, comm::Comm** out);

// Collective over both groups. What is said of the remote one counts at the local leader only.
// Local if one is empty.
Error create_from_groups(group::Group& local, int local_leader, group::Group* remote,
                         int remote_leader, const char* tag, const info::Info* hints,
                         error::Errhandler& handler, comm::Comm** out);

}  // namespace heddle::runtime
