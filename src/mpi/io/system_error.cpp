#include "mpi/io/system_error.h"

#include <mpi.h>

#include <cerrno>
#include <cstring>

namespace heddle::io {

int class_of(int system_error) noexcept {
  switch (system_error) {
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case ENOSPC:
      return MPI_ERR_NO_SPACE;
    case EBUSY:
    case ETXTBSY:
      return MPI_ERR_FILE_IN_USE;
    case ENOMEM:
      return MPI_ERR_NO_MEM;
    default:
      return MPI_ERR_IO;
  }
}

Error file_error(int system_error, const char* what, const std::string& path) {
  char text[128];
  return Error::make(class_of(system_error), "could not %s \"%s\": %s", what, path.c_str(),
                     strerror_r(system_error, text, sizeof text));
}

}  // namespace heddle::io
