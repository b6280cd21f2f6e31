#include "mpi/datatype/basic_runs.h"

namespace heddle::datatype {

void BasicRuns::enter(const Datatype& type, MPI_Count count) {
  const Datatype* inner = &type;
  // Elements of a single part are more of that part.
  while (inner->parts().size() == 1) {
    count *= inner->parts().front().repeat;
    inner = inner->parts().front().type;
  }
  if (count > 0 && inner->size() > 0) levels_.push_back({inner, count});
}

bool BasicRuns::next(BasicRun* run) {
  while (!levels_.empty()) {
    Level& top = levels_.back();
    const std::span<const Part> parts = top.type->parts();
    if (parts.empty()) {
      *run = {top.type, top.left};
      levels_.pop_back();
      return true;
    }
    if (top.part == parts.size()) {
      top.part = 0;
      if (--top.left == 0) {
        levels_.pop_back();
        continue;
      }
    }
    const Part& part = parts[top.part++];
    enter(*part.type, part.repeat);
  }
  return false;
}

}  // namespace heddle::datatype
