#include "mpi/group/group_query.h"

#include <algorithm>
#include <unordered_map>

#include "mpi/object/handle_table.h"

namespace heddle::group {

namespace {

// Finds ranks in a group: a scan for a few, a hash for many.
class RankFinder {
 public:
  RankFinder(const Group& group, int questions) : group_(group) {
    constexpr int kFew = 8;
    if (questions <= kFew) return;
    for (int rank = 0; rank < group.size(); ++rank) ranks_[&group.member(rank)] = rank;
  }

  int rank_of(const world::Process& process) const {
    if (ranks_.empty()) return group_.rank_of(process);
    const auto found = ranks_.find(&process);
    return found == ranks_.end() ? MPI_UNDEFINED : found->second;
  }

 private:
  const Group& group_;
  std::unordered_map<const world::Process*, int> ranks_;
};

}  // namespace

Error get_size(const Group& group, int* size) {
  *size = group.size();
  return {};
}

Error get_rank(const Group& group, int* rank) {
  *rank = group.rank_of(*world::here().process);
  return {};
}

Error translate(const Group& from, int n, const int ranks[], const Group& to, int translated[]) {
  const auto wrong = std::find_if(ranks, ranks + n, [&](int rank) {
    return rank != MPI_PROC_NULL && (rank < 0 || rank >= from.size());
  });
  if (wrong != ranks + n) {
    return Error::make(MPI_ERR_RANK, "argument ranks1[%d] is %d, but group1 has %d ranks",
                       static_cast<int>(wrong - ranks), *wrong, from.size());
  }
  const RankFinder finder(to, n);
  for (int i = 0; i < n; ++i) {
    translated[i] =
        ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : finder.rank_of(from.member(ranks[i]));
  }
  return {};
}

int relation(const Group& first, const Group& second) {
  if (first.members() == second.members()) return MPI_IDENT;
  if (first.size() != second.size()) return MPI_UNEQUAL;
  const RankFinder finder(second, first.size());
  const bool similar =
      std::all_of(first.members().begin(), first.members().end(),
                  [&](const auto* process) { return finder.rank_of(*process) != MPI_UNDEFINED; });
  return similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

Error compare(const Group& first, const Group& second, int* result) {
  *result = relation(first, second);
  return {};
}

Error free_group(MPI_Group* handle) {
  const Group* group = from_handle(*handle);
  if (group == nullptr) {
    return Error::make(
        MPI_ERR_GROUP, "argument group is %s",
        *handle == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "not a group, or already freed");
  }
  // MPI_GROUP_EMPTY is a result of many calls; programs free it like any other.
  if (group != &empty()) {
    if (object::Object* mine =
            object::retire(object::Kind::kGroup, reinterpret_cast<object::HandleBits>(*handle))) {
      mine->release();
    }
  }
  *handle = MPI_GROUP_NULL;
  return {};
}

}  // namespace heddle::group
