// mpiexec — checks what the user asks for, then becomes the one process of the job (heddle-host).
//
//   arguments ──► CommandLine ──► words for heddle-host ──► exec
//    options.h    command_line.h   host_command.h
//                  └► environment   settings.h, environment.h
//
// Nothing stays behind in its place: no process that forwards output or signals, no file.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "launch/mpiexec/capacity.h"
#include "launch/mpiexec/command_line.h"
#include "launch/mpiexec/environment.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/settings.h"

using namespace heddle::launch;

namespace {

void launch(const Words& arguments) {
  const CommandLine line = read_command_line(arguments);
  if (!line.answer.empty()) {
    std::cout << line.answer;
    return;
  }
  check_capacity(line);
  apply_settings(line);
  const Words command = host_command(line);
  apply_environment(line);
  if (!line.show_only) run_host(command);
  for (const auto& [name, value] : line.settings) std::cout << name << '=' << value << '\n';
  for (const std::string& word : command) std::cout << word << '\n';
}

// A standard descriptor that is closed at the start (cron, daemons, `>&-`) would be the number of the next file that a
// rank opens, and receive what other ranks print. Ranks find it connected to nothing instead.
void fill_standard_descriptors() {
  int made = 0;
  do {
    made = ::open("/dev/null", O_RDWR);
  } while (made >= 0 && made <= STDERR_FILENO);
  if (made > STDERR_FILENO) ::close(made);
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  try {
    launch(Words(argv + 1, argv + argc));
  } catch (const Failure& failure) {
    std::cerr << "mpiexec: " << failure.sentence << '\n';
    return failure.status;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "mpiexec: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
