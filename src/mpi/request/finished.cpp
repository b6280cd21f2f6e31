#include "mpi/request/finished.h"

namespace heddle::request {

const RankLocal<Finished> finished_of_rank;

Finished::Finished() noexcept : Request(Life::kShared) {
  complete_unseen();
  object::publish_for_good(this);
}

}  // namespace heddle::request
