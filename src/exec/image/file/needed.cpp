#include "exec/image/file/needed.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace heddle::image {

namespace {

// Runs `command` and gives what it writes to its standard output. Returns its status in wait's
// form, or -1 with errno.
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

int list_needed(const std::string& interpreter, const std::string& program,
                const std::string& folder, std::vector<NeededFile>* out) {
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const bool has_before = before != nullptr && *before != '\0';
  const std::string paths = (has_before ? std::string(before) + ":" : "") + folder;
  const char* usual[] = {interpreter.c_str(), "--list", program.c_str(), nullptr};
  const char* wider[] = {interpreter.c_str(), "--library-path", paths.c_str(), "--list",
                         program.c_str(),     nullptr};
  const char* const* const command = folder.empty() ? usual : wider;
  std::string output;
  const int status = run_and_read(command, &output);
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    NeededFile file;
    if (read_line(std::string_view(output).substr(at, end - at), &file)) {
      out->push_back(std::move(file));
    }
    at = end + 1;
  }
  return status;
}

}  // namespace heddle::image
