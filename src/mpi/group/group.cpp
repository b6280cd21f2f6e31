#include "mpi/group/group.h"

#include <algorithm>
#include <cassert>

#include "mpi/object/handle_table.h"

namespace heddle::group {

int Group::rank_of(const world::Process& process) const noexcept {
  assert(world::is_known_here(process));
  const auto guess = static_cast<std::size_t>(process.number);
  if (guess < members_.size() && members_[guess] == &process) return process.number;
  const auto found = std::find(members_.begin(), members_.end(), &process);
  return found == members_.end() ? MPI_UNDEFINED : static_cast<int>(found - members_.begin());
}

Group& empty() noexcept {
  static auto& instance = [&]() -> Group& {
    auto* made = new Group(Group::Members(), {}, Group::Lifetime::kPredefined);
    made->set_handle(reinterpret_cast<object::HandleBits>(MPI_GROUP_EMPTY));
    return *made;
  }();
  return instance;
}

Group* from_handle(MPI_Group handle) noexcept {
  if (handle == MPI_GROUP_EMPTY) return &empty();
  return object::find_as<Group>(object::Kind::kGroup, handle);
}

}  // namespace heddle::group
