#include "mpi/comm/comm_query.h"

#include <algorithm>
#include <cstring>

#include "mpi/group/group_query.h"

namespace heddle::comm {

using info::Info;
using object::Ref;

namespace {

// Promises of the program; keeping them costs us nothing, so they are only remembered.
constexpr const char* kKnownHints[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                       "mpi_assert_exact_length", "mpi_assert_allow_overtaking",
                                       "mpi_assert_strict_persistent_collective_ordering"};

bool is_known_hint(const Info::KeyValue& entry) {
  return std::find(std::begin(kKnownHints), std::end(kKnownHints), entry.first) !=
             std::end(kKnownHints) &&
         (entry.second == "true" || entry.second == "false");
}

Error need_inter(const Comm& comm) {
  if (comm.is_inter()) return {};
  return Error::make(MPI_ERR_COMM, "argument comm is %s, which is no intercommunicator",
                     describe(comm).c_str());
}

// The weaker of two relations of groups.
int weaker(int first, int second) {
  if (first == MPI_UNEQUAL || second == MPI_UNEQUAL) return MPI_UNEQUAL;
  return first == MPI_SIMILAR || second == MPI_SIMILAR ? MPI_SIMILAR : MPI_IDENT;
}

}  // namespace

Error get_size(const Comm& comm, int* size) {
  *size = comm.size();
  return {};
}

Error get_rank(const Comm& comm, int* rank) {
  *rank = comm.rank();
  return {};
}

Error get_remote_size(const Comm& comm, int* size) {
  if (Error e = need_inter(comm)) return e;
  *size = comm.remote_group().size();
  return {};
}

Error test_inter(const Comm& comm, int* flag) {
  *flag = comm.is_inter();
  return {};
}

Error compare(const Comm& first, const Comm& second, int* result) {
  if (&first == &second) {
    *result = MPI_IDENT;
    return {};
  }
  int groups = MPI_UNEQUAL;
  if (first.is_inter() == second.is_inter()) {
    groups = group::relation(first.group(), second.group());
    if (first.is_inter()) {
      groups = weaker(groups, group::relation(first.remote_group(), second.remote_group()));
    }
  }
  *result = groups == MPI_IDENT ? MPI_CONGRUENT : groups;
  return {};
}

Error get_group(const Comm& comm, group::Group** out) {
  *out = object::Ref<group::Group>(&comm.group()).leak();
  return {};
}

Error get_remote_group(const Comm& comm, group::Group** out) {
  if (Error e = need_inter(comm)) return e;
  *out = object::Ref<group::Group>(&comm.remote_group()).leak();
  return {};
}

Error get_name(const Comm* comm, char* name, int* length) {
  const std::string text = comm != nullptr ? comm->name() : "MPI_COMM_NULL";
  name[text.copy(name, MPI_MAX_OBJECT_NAME - 1)] = '\0';
  *length = static_cast<int>(text.size());
  return {};
}

Error set_name(Comm& comm, const char* name) {
  comm.set_name(std::string(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)));
  return {};
}

Error get_hints(const Comm& comm, Info** out) {
  const Ref<Info> given = comm.info();
  auto* hints = new Info();
  for (const char* hint : kKnownHints) {
    hints->set(hint, (given ? given->get(hint) : std::nullopt).value_or("false"));
  }
  hints->set("mpi_memory_alloc_kinds", "mpi,system");
  *out = hints;
  return {};
}

Error set_hints(Comm& comm, const Info* hints) {
  if (hints == nullptr) return Error::make(MPI_ERR_INFO, "argument info is MPI_INFO_NULL");
  const Ref<Info> old = comm.info();
  const auto merged =
      Ref<Info>::adopt(new Info(old ? old->entries() : std::vector<Info::KeyValue>()));
  for (const Info::KeyValue& entry : hints->entries()) {
    if (is_known_hint(entry)) merged->set(entry.first, entry.second);
  }
  comm.set_info(merged);
  return {};
}

}  // namespace heddle::comm
