#include "net/world/process.h"

#include "exec/rank/rank.h"

namespace heddle::world {

namespace {
RankLocal<Here> here_of_rank;
}  // namespace

Job::Job(int size, std::shared_ptr<Commons> commons)
    : commons_(std::move(commons)), processes_(static_cast<std::size_t>(size)) {
  for (int i = 0; i < size; ++i) process(i).number = i;
}

Here& here() noexcept {
  return here_of_rank.get();
}

}  // namespace heddle::world
