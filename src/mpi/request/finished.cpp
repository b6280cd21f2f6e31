#include "mpi/request/finished.h"

namespace heddle::request {

KeptFinished kept_finished;

Finished::Finished() noexcept : Request(Life::kShared) {
  complete_unseen();
  set_handle(object::kFinishedHandle);
}

}  // namespace heddle::request
