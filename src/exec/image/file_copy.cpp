#include <mpi.h>

#include "exec/image/image.h"
namespace heddle::image {
Error Image::open_copy(const Program&) {
  return Error::make(MPI_ERR_UNSUPPORTED_OPERATION, "no copies yet");
}
}  // namespace heddle::image
