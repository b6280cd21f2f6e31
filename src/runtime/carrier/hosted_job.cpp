#include "runtime/carrier/hosted_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "exec/image/image.h"

namespace heddle::runtime {

namespace {

StartedAs start_of(const heddle_program& face, int number) {
  StartedAs start{number, face.ranks, face.argv[0], {}, face.working_directory};
  for (int i = 1; i < face.argc; ++i) {
    if (i > 1) start.arguments += ' ';
    start.arguments += face.argv[i];
  }
  return start;
}

}  // namespace

Error inspect_programs(const heddle_job& job, HostedJob* out) {
  for (int i = 0; i < job.program_count; ++i) {
    const heddle_program& face = job.programs[i];
    HostedProgram& program = out->programs.emplace_back();
    program.face = &face;
    program.first_rank = out->ranks;
    program.start = start_of(face, i);
    if (Error e = image::Program::inspect(face.path, &program.file)) return e;
    out->ranks += face.ranks;
  }
  return {};
}

const HostedProgram& program_of(const HostedJob& job, int rank) {
  const auto after = std::upper_bound(
      job.programs.begin(), job.programs.end(), rank,
      [](int number, const HostedProgram& program) { return number < program.first_rank; });
  return *std::prev(after);
}

std::string find_allocator(const heddle_job& job) {
  std::string found;
  const int here = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < job.program_count && found.empty(); ++i) {
    image::Program file;
    // Where libraries are looked for may be relative to its working directory.
    if (::chdir(job.programs[i].working_directory) != 0) continue;
    if (Error e = image::Program::inspect(job.programs[i].path, &file)) continue;
    if (Error e = image::find_allocator(file, &found)) found.clear();
  }
  if (here >= 0 && ::fchdir(here) == 0) ::close(here);
  return found;
}

}  // namespace heddle::runtime
