#include "mpi/group/group_set.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::group {

namespace {

using Members = Group::Members;

std::unordered_set<const world::Process*> set_of(const Group& group) {
  return {group.members().begin(), group.members().end()};
}

Error make(Members members, const SessionRef& session, Group** out) {
  *out = members.empty() ? &empty() : new Group(std::move(members), session);
  return {};
}

// MPI_GROUP_EMPTY comes from none.
const SessionRef& session_of(const Group& first, const Group& second) {
  return first.session() ? first.session() : second.session();
}

// The members of `from` that are (or are not) in `other`, in the order of `from`.
Members filter(const Group& from, const Group& other, bool in_other) {
  const auto others = set_of(other);
  Members kept;
  for (world::Process* process : from.members()) {
    if (others.contains(process) == in_other) kept.push_back(process);
  }
  return kept;
}

// Marks the ranks that a call names, and finds those that it may not name.
class Selection {
 public:
  Selection(const Group& from, int expected) : from_(from) {
    if (from.size() > kFew) many_.resize(static_cast<std::size_t>(from.size()));
    named_.reserve(static_cast<std::size_t>(std::min(expected, from.size())));
  }

  Error add(const char* argument, int i, int rank) {
    if (rank < 0 || rank >= from_.size()) {
      return Error::make(MPI_ERR_RANK, "argument %s[%d] names rank %d, but the group has %d ranks",
                         argument, i, rank, from_.size());
    }
    if (is_named(rank)) {
      return Error::make(MPI_ERR_RANK, "argument %s[%d] names rank %d a second time", argument, i,
                         rank);
    }
    if (from_.size() > kFew) {
      many_[static_cast<std::size_t>(rank)] = true;
    } else {
      few_ |= std::uint64_t{1} << rank;
    }
    named_.push_back(&from_.member(rank));
    return {};
  }

  Error add_range(int i, const Range& range) {
    const auto [first, last, stride] = range;
    if (stride == 0) return Error::make(MPI_ERR_ARG, "argument ranges[%d] has stride 0", i);
    if ((last - first > 0 && stride < 0) || (last - first < 0 && stride > 0)) {
      return Error::make(MPI_ERR_ARG, "argument ranges[%d] goes from %d to %d with stride %d", i,
                         first, last, stride);
    }
    // 64 bits: rank + stride may not fit an int.
    for (long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (Error e = add("ranges", i, static_cast<int>(rank))) return e;
    }
    return {};
  }

  Error add_all(int n, const int ranks[]) {
    for (int i = 0; i < n; ++i) {
      if (Error e = add("ranks", i, ranks[i])) return e;
    }
    return {};
  }

  Error add_all_ranges(int n, const Range ranges[]) {
    for (int i = 0; i < n; ++i) {
      if (Error e = add_range(i, ranges[i])) return e;
    }
    return {};
  }

  // The members that were named, in the order in which they were.
  Members named() && { return std::move(named_); }

  // The others, in the group's order.
  Members others() const {
    Members members;
    for (int rank = 0; rank < from_.size(); ++rank) {
      if (!is_named(rank)) members.push_back(&from_.member(rank));
    }
    return members;
  }

 private:
  static constexpr int kFew = 64;

  bool is_named(int rank) const noexcept {
    return from_.size() > kFew ? many_[static_cast<std::size_t>(rank)] : (few_ >> rank & 1) != 0;
  }

  const Group& from_;
  std::uint64_t few_ = 0;   // by rank, in a group of at most kFew
  std::vector<bool> many_;  // by rank, in a larger one
  Members named_;
};

}  // namespace

Error make_union(const Group& first, const Group& second, Group** out) {
  Members members = first.members();
  const Members more = filter(second, first, false);
  members.insert(members.end(), more.begin(), more.end());
  return make(std::move(members), session_of(first, second), out);
}

Error make_intersection(const Group& first, const Group& second, Group** out) {
  return make(filter(first, second, true), session_of(first, second), out);
}

Error make_difference(const Group& first, const Group& second, Group** out) {
  return make(filter(first, second, false), session_of(first, second), out);
}

Error include(const Group& from, int n, const int ranks[], Group** out) {
  Selection selection(from, n);
  if (Error e = selection.add_all(n, ranks)) return e;
  return make(std::move(selection).named(), from.session(), out);
}

Error exclude(const Group& from, int n, const int ranks[], Group** out) {
  Selection selection(from, n);
  if (Error e = selection.add_all(n, ranks)) return e;
  return make(selection.others(), from.session(), out);
}

Error include_ranges(const Group& from, int n, const Range ranges[], Group** out) {
  Selection selection(from, n);
  if (Error e = selection.add_all_ranges(n, ranges)) return e;
  return make(std::move(selection).named(), from.session(), out);
}

Error exclude_ranges(const Group& from, int n, const Range ranges[], Group** out) {
  Selection selection(from, n);
  if (Error e = selection.add_all_ranges(n, ranges)) return e;
  return make(selection.others(), from.session(), out);
}

}  // namespace heddle::group
