#include "net/world/process.h"

namespace heddle::world {

Job::Job(JobId id, int size) : id_(id), processes_(static_cast<std::size_t>(size)) {
  for (int i = 0; i < size; ++i) {
    process(i).job = id;
    process(i).number = i;
  }
}

}  // namespace heddle::world
