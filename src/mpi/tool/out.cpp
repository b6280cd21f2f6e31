#include "mpi/tool/out.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>

namespace heddle::tool {

void give_string(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t room = static_cast<std::size_t>(*length) - 1;
    const std::size_t given = std::min(room, text.size());
    std::memcpy(buffer, text.data(), given);
    buffer[given] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

Error check_index(const char* name, int index, int count, const char* things) {
  if (index >= 0 && index < count) return {};
  return Error::make(MPI_T_ERR_INVALID_INDEX, "argument %s is %d, but there are %d %s", name, index,
                     count, things);
}

Error no_such_name(const char* things, const char* name) {
  return Error::make(MPI_T_ERR_INVALID_NAME, "none of the %s is called '%s'", things, name);
}

Error bad_handle(const char* name, const void* handle, const char* thing) {
  return Error::make(MPI_T_ERR_INVALID_HANDLE, "argument %s is %p, which is no handle of %s here",
                     name, handle, thing);
}

}  // namespace heddle::tool
