#include "net/world/process.h"

namespace heddle::world {

const RankLocal<Here> here_of_rank;

Job::Job(int size, std::shared_ptr<Commons> commons)
    : commons_(std::move(commons)), processes_(static_cast<std::size_t>(size)) {
  for (int i = 0; i < size; ++i) process(i).number = i;
}

}  // namespace heddle::world
