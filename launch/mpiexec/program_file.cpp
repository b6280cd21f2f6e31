#include "launch/mpiexec/program_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "launch/mpiexec/failure.h"

namespace heddle::launch {

namespace {

namespace fs = std::filesystem;

// Where the file could be, best first.
std::vector<fs::path> candidates(const Section& section) {
  const std::string& name = section.command[0];
  const fs::path directory = section.directory;
  // Where the working directory is gone, what is relative to it is nowhere, as the empty path.
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return {directory / name, fs::absolute(name, ignored)};

  const char* inherited = std::getenv("PATH");
  std::istringstream folders(!section.search_path.empty() ? section.search_path
                             : inherited != nullptr       ? inherited
                                                          : "/usr/local/bin:/usr/bin:/bin");
  std::vector<fs::path> found;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path place = fs::absolute(folder.empty() ? "." : folder, ignored);
    if (!place.empty()) found.push_back(place / name);
  }
  found.push_back(directory / name);
  return found;
}

}  // namespace

std::string find_program(const Section& section) {
  const std::string& name = section.command[0];
  bool exists = false;
  for (const fs::path& path : candidates(section)) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    exists = true;
    if (fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) {
      return path.lexically_normal();
    }
  }
  if (exists) throw Failure{kStatusNotExecutable, "'" + name + "' is not an executable file"};
  throw Failure{kStatusNotFound, "there is no program '" + name + "'"};
}

}  // namespace heddle::launch
