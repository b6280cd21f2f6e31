// Communicators made by their members alone (MPI 5.0 §7.4.2, MPI_Comm_create_group and
// MPI_Comm_create_from_group).

#include <cstring>

#include "mpi/comm/comm_query.h"
#include "mpi/comm_make/agree.h"
#include "mpi/comm_make/comm_make.h"

namespace heddle::comm_make {

using group::Group;

namespace {

// A group's ranks in their parent communicator.
Error parent_ranks(const Comm& parent, const Group& members, std::vector<int>* ranks) {
  for (const world::Process* process : members.members()) {
    ranks->push_back(parent.group().rank_of(*process));
    if (ranks->back() == MPI_UNDEFINED) {
      return Error::make(MPI_ERR_GROUP, "argument group has %s, but %s has not",
                         world::describe(process->name()).c_str(), comm::describe(parent).c_str());
    }
  }
  return {};
}

// What the new rank 0 has reaches all through a binomial tree: a rank's parent is the rank without
// its lowest bit.
Error spread(Comm& parent, const std::vector<int>& ranks, int me, int tag, void* data,
             std::size_t bytes) {
  const int size = static_cast<int>(ranks.size());
  const auto rank = [&](int member) { return ranks[static_cast<std::size_t>(member)]; };
  int bit = 1;
  while (bit < size && (me & bit) == 0) bit <<= 1;
  if (me != 0) {
    if (Error e = receive_apart(parent, rank(me - bit), tag, data, bytes)) return e;
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (me + bit >= size) continue;
    if (Error e = send_apart(parent, rank(me + bit), tag, data, bytes)) return e;
  }
  return {};
}

// What travels for create_from_group: the message's tag is a part of the hash only.
struct Agreement {
  ContextId context = 0;
  std::uint64_t hash = 0;
};

Error check_hash(std::uint64_t got, std::uint64_t own, const char* stringtag) {
  if (got == own) return {};
  return Error::make(MPI_ERR_OTHER,
                     "argument stringtag is \"%s\", which cannot be told from that of another call "
                     "under way; use another one",
                     stringtag);
}

}  // namespace

std::uint64_t hash_of(const char* stringtag) noexcept {
  // FNV-1a: the same on all hosts.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char* at = stringtag; *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  }
  return hash;
}

Error check_stringtag(const char* stringtag) {
  const std::size_t length = std::strlen(stringtag);
  if (length < MPI_MAX_STRINGTAG_LEN) return {};
  return Error::make(MPI_ERR_ARG,
                     "argument stringtag has %zu characters, but must have less than "
                     "MPI_MAX_STRINGTAG_LEN (%d)",
                     length, MPI_MAX_STRINGTAG_LEN);
}

Error check_member(const Comm& all, const Group& members, const char* argument) {
  if (members.rank_of(all.group().member(all.rank())) != MPI_UNDEFINED) return {};
  return Error::make(MPI_ERR_GROUP,
                     "the calling rank is no member of argument %s, which has %d members", argument,
                     members.size());
}

Error create_group(Comm& parent, const Group& members, int tag, Comm** out) {
  if (parent.is_inter()) {
    return Error::make(MPI_ERR_COMM, "argument comm is %s, which is an intercommunicator",
                       comm::describe(parent).c_str());
  }
  std::vector<int> ranks;
  if (Error e = parent_ranks(parent, members, &ranks)) return e;
  const int me = members.rank_of(parent.group().member(parent.rank()));
  if (me == MPI_UNDEFINED) return {};
  ContextId context = me == 0 ? draw_context() : 0;
  if (Error e = spread(parent, ranks, me, tag, &context, sizeof context)) return e;
  object::Ref<Comm> made;
  if (Error e = build(context, object::Ref<Group>::adopt(new Group(members, members.session())),
                      parent, &made)) {
    return e;
  }
  *out = made.leak();
  return {};
}

Error create_from_group(Comm& all, Group& members, const char* stringtag, const info::Info* hints,
                        error::Errhandler& handler, Comm** out) {
  if (Error e = check_stringtag(stringtag)) return e;
  if (Error e = error::check_fits(handler, object::Kind::kComm)) return e;
  if (members.size() == 0) return {};
  if (Error e = check_member(all, members, "group")) return e;
  const int me = members.rank_of(all.group().member(all.rank()));
  std::vector<int> ranks;
  if (Error e = parent_ranks(all, members, &ranks)) return e;
  const std::uint64_t hash = hash_of(stringtag);
  Agreement agreement{me == 0 ? draw_context() : 0, hash};
  if (Error e = spread(all, ranks, me, tag_of(hash), &agreement, sizeof agreement)) return e;
  if (Error e = check_hash(agreement.hash, hash, stringtag)) return e;
  object::Ref<Comm> made;
  if (Error e = build(agreement.context, object::Ref<Group>(&members), all, &made)) return e;
  made->set_errhandler(object::Ref<error::Errhandler>(&handler));
  if (hints != nullptr) {
    if (Error e = comm::set_hints(*made, hints)) return e;
  }
  *out = made.leak();
  return {};
}

}  // namespace heddle::comm_make
