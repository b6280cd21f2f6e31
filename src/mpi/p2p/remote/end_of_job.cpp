#include "mpi/p2p/remote/end_of_job.h"

#include "exec/rank/rank.h"
#include "mpi/error/errhandler.h"

namespace heddle::p2p {

void end_job(int error_class, std::string_view sentence) noexcept {
  Rank::enter(nullptr);
  error::raise_error(error::errors_are_fatal(), {}, error_class, sentence);
}

}  // namespace heddle::p2p
