#include "exec/image/plan/closure.h"

#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace heddle::image {

namespace {

// Runs `command` and gives what it writes to its standard output. Returns its status in wait's form, or -1 with errno.
int run_and_read(const char* const* command, std::string* output) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  pid_t child = -1;
  const int failure = ::posix_spawn(&child, command[0], &actions, nullptr,
                                    const_cast<char* const*>(command), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failure == 0) {
    char bytes[4096];
    ssize_t got;
    while ((got = ::read(ends[0], bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)) {
      if (got > 0) output->append(bytes, static_cast<std::size_t>(got));
    }
  }
  ::close(ends[0]);
  if (failure != 0) {
    errno = failure;
    return -1;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// One line of `ld.so --list`:
//   "\tNAME => PATH (0x00007f...)"   "\tPATH (0x...)"   "\tNAME => not found"
// Returns false for a line that names no library. A path that is not found stays empty.
bool read_line(std::string_view line, NeededFile* file) {
  constexpr std::string_view kArrow = " => ";
  constexpr std::string_view kMissing = "not found";
  if (line.empty() || line.front() != '\t') return false;
  line.remove_prefix(1);

  const std::size_t address = line.rfind(" (0x");
  if (address != std::string_view::npos) line = line.substr(0, address);
  const std::size_t arrow = line.find(kArrow);
  file->name = line.substr(0, arrow);
  file->path = arrow == std::string_view::npos ? line : line.substr(arrow + kArrow.size());
  if (file->path == kMissing) file->path.clear();
  const bool linker = file->name.find("/ld-linux") != std::string::npos;
  return file->name.compare(0, 10, "linux-vdso") != 0 && !linker;
}

}  // namespace

Error find_closure(const Program& program, std::vector<NeededFile>* out) {
  const char* command[] = {program.interpreter().c_str(), "--list", program.path().c_str(),
                           nullptr};
  std::string output;
  const int status = run_and_read(command, &output);
  if (WIFSIGNALED(status)) {
    return Error::make(
        MPI_ERR_BAD_FILE,
        "cannot load %s: the dynamic linker crashed (%s) when it looked for the libraries "
        "that it needs; one of them is damaged (ldd and file tell which)",
        program.path().c_str(), strsignal(WTERMSIG(status)));
  }
  if (status < 0) {
    return Error::make(MPI_ERR_SPAWN, "cannot ask %s for the libraries of %s: %s", command[0],
                       program.path().c_str(), std::strerror(errno));
  }
  std::vector<NeededFile> files;
  std::error_code ignored;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    NeededFile file;
    if (read_line(std::string_view(output).substr(at, end - at), &file)) {
      if (file.path.empty()) {
        return Error::make(MPI_ERR_NO_SUCH_FILE,
                           "cannot load %s: the library %s, which it needs, was not found (it is "
                           "looked for in the program's RUNPATH, in LD_LIBRARY_PATH and in the "
                           "system's directories)",
                           program.path().c_str(), file.name.c_str());
      }
      file.path =
          std::filesystem::absolute(file.path, ignored);  // LD_PRELOAD may hold a relative one
      files.push_back(std::move(file));
    }
    at = end + 1;
  }
  *out = std::move(files);
  return {};
}

}  // namespace heddle::image
