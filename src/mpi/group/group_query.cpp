#include "mpi/group/group_query.h"

#include <algorithm>
#include <vector>

#include "mpi/object/handle_table.h"

namespace heddle::group {

namespace {

// Finds ranks in a group: at once where each member's rank is its number in the job, as in
// MPI_COMM_WORLD's group; by a scan where members or questions are few; else by a table of numbers.
class RankFinder {
 public:
  RankFinder(const Group& group, int questions)
      : group_(group), scans_(questions <= kFew || group.size() <= kFew) {}

  int rank_of(const world::Process& process) {
    if (scans_ || is_at(process.number, process)) return group_.rank_of(process);
    if (table_.empty()) make_table();
    const auto number = static_cast<std::size_t>(process.number);
    const int rank = number < table_.size() ? table_[number] : MPI_UNDEFINED;
    // A process of another job may have the same number.
    return rank == MPI_UNDEFINED || is_at(rank, process) ? rank : group_.rank_of(process);
  }

 private:
  static constexpr int kFew = 8;

  bool is_at(int rank, const world::Process& process) const {
    return rank < group_.size() && &group_.member(rank) == &process;
  }

  void make_table() {
    for (int rank = 0; rank < group_.size(); ++rank) {
      const auto number = static_cast<std::size_t>(group_.member(rank).number);
      if (number >= table_.size()) table_.resize(number + 1, MPI_UNDEFINED);
      table_[number] = rank;
    }
  }

  const Group& group_;
  const bool scans_;
  std::vector<int> table_;  // number in the job -> rank; made for the first question that needs it
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
  RankFinder finder(to, n);
  for (int i = 0; i < n; ++i) {
    translated[i] =
        ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : finder.rank_of(from.member(ranks[i]));
  }
  return {};
}

int relation(const Group& first, const Group& second) {
  if (first.members() == second.members()) return MPI_IDENT;
  if (first.size() != second.size()) return MPI_UNEQUAL;
  RankFinder finder(second, first.size());
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
