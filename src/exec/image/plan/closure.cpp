#include "exec/image/plan/closure.h"

#include <mpi.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "exec/image/plan/own_library.h"

namespace heddle::image {

Error find_closure(const Program& program, std::vector<NeededFile>* out) {
  std::vector<NeededFile> files;
  int status = list_needed(program.interpreter(), program.path(), "", &files);
  if (status != 0 && !own_library().empty()) {
    const std::string folder = own_library().substr(0, own_library().rfind('/'));
    files.clear();
    status = list_needed(program.interpreter(), program.path(), folder, &files);
  }
  if (WIFSIGNALED(status)) {
    return Error::make(
        MPI_ERR_BAD_FILE,
        "cannot load %s: the dynamic linker crashed (%s) when it looked for the libraries "
        "that it needs; one of them is damaged (ldd and file tell which)",
        program.path().c_str(), strsignal(WTERMSIG(status)));
  }
  if (status < 0) {
    return Error::make(MPI_ERR_SPAWN, "cannot ask %s for the libraries of %s: %s",
                       program.interpreter().c_str(), program.path().c_str(), std::strerror(errno));
  }
  std::error_code ignored;
  for (NeededFile& file : files) {
    if (file.name == kOwnPrivateLibrary && !own_library().empty()) file.path = own_library();
    if (file.path.empty()) {
      return Error::make(MPI_ERR_NO_SUCH_FILE,
                         "cannot load %s: the library %s, which it needs, was not found (it is "
                         "looked for in the program's RUNPATH, in LD_LIBRARY_PATH and in the "
                         "system's directories)",
                         program.path().c_str(), file.name.c_str());
    }
    file.path =
        std::filesystem::absolute(file.path, ignored);  // LD_PRELOAD may hold a relative one
  }
  *out = std::move(files);
  return {};
}

}  // namespace heddle::image
