// mpiexec — checks what the user asks for, then becomes the one process of the job (heddle-host),
// or the parent of the ranks' processes (processes.h), or another launcher, which starts processes
// on several machines (launchers.h).
//
//   arguments ──► CommandLine ──► words for heddle-host ──► exec
//    options.h    command_line.h   host_command.h
//                  └► environment   settings.h, environment.h
//
// Where ranks are threads, nothing stays behind in its place: no process that forwards output or
// signals, no file.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <new>

#include "launch/mpiexec/capacity.h"
#include "launch/mpiexec/command_line.h"
#include "launch/mpiexec/environment.h"
#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/launchers.h"
#include "launch/mpiexec/machines.h"
#include "launch/mpiexec/processes.h"
#include "launch/mpiexec/program_kind.h"
#include "launch/mpiexec/settings.h"
#include "runtime/job_board/job_page.h"

using namespace heddle::launch;

namespace {

void check_processes(const CommandLine& line, bool ranks_are_processes) {
  if (!ranks_are_processes) return;
  if (line.processes != 0) {
    fail_usage("argument --processes is for ranks that are threads; these ranks are processes");
  }
  if (line.balances) {
    fail_usage("argument --balance is for ranks that are threads; these ranks are processes");
  }
}

void say_what_starts(const CommandLine& line, const Words& command) {
  for (const std::string& option : line.without_effect) {
    std::cerr << "mpiexec: argument " << option << " changes nothing here\n";
  }
  std::cerr << "mpiexec: starts";
  for (const std::string& word : command) std::cerr << ' ' << word;
  std::cerr << '\n';
}

int launch(const Words& arguments) {
  CommandLine line = read_command_line(arguments);
  if (!line.answer.empty()) {
    std::cout << line.answer;
    return 0;
  }
  take_allocation(line);
  count_ranks(line);
  check_capacity(line);
  unsetenv(heddle::runtime::kProcessVariable);  // mpiexec may be called by a rank
  apply_settings(line);
  const bool processes = ranks_are_processes(line);
  const bool here = is_for_this_machine(line);
  check_processes(line, processes);
  const bool several = processes || line.processes > 1;
  if (!here) set_tunables();  // the launcher's command names what is to be passed on
  const Words command = !here     ? launcher_command(line, processes)
                        : several ? processes_command(line)
                                  : host_command(line);
  if (line.verbose) say_what_starts(line, command);
  if (!line.show_only && here && several) return run_processes(line);
  if (processes) {
    offer_library();
  } else {
    apply_environment(line);
  }
  if (!line.show_only) become(command);
  for (const auto& [name, value] : line.settings) std::cout << name << '=' << value << '\n';
  for (const std::string& word : command) std::cout << word << '\n';
  return 0;
}

// A standard descriptor that is closed at the start (cron, daemons, `>&-`) would be the number of
// the next file that a rank opens, and receive what other ranks print. Ranks find it connected to
// nothing instead.
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
    return launch(Words(argv + 1, argv + argc));
  } catch (const Failure& failure) {
    std::cerr << "mpiexec: " << failure.sentence << '\n';
    return failure.status;
  } catch (const std::bad_alloc&) {
    std::cerr << "mpiexec: " << cause_of(ENOMEM) << '\n';
    return 1;
  }
}
