#include "runtime/crew/world_groups.h"

#include "exec/rank/rank.h"

namespace heddle::runtime {

namespace {
RankLocal<WorldGroups> groups_of_rank;
}  // namespace

WorldGroups& world_groups() noexcept {
  return groups_of_rank.get();
}

}  // namespace heddle::runtime
