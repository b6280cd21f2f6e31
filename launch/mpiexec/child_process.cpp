#include "launch/mpiexec/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/platform/topology.h"
#include "launch/mpiexec/environment.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

std::vector<char*> pointers_to(const Words& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Words own_environment() {
  Words words;
  for (char** each = environ; *each != nullptr; ++each) words.emplace_back(*each);
  return words;
}

// mpiexec's own, with what options add or replace.
Words environment_of(const CommandLine& line, const Section& section) {
  Variables values = variables_of(line, section);
  for (const std::string& word : own_environment()) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      values.emplace(word.substr(0, equals), word.substr(equals + 1));
  }
  // Last, so that it serves programs that know no other place of the library, and only those.
  std::string& libraries = values["LD_LIBRARY_PATH"];
  libraries += (libraries.empty() ? "" : ":") + library_path();
  Words words;
  for (const auto& [name, value] : values) words.emplace_back(name).append("=").append(value);
  return words;
}

}  // namespace

ChildProcess::ChildProcess(const CommandLine& line, const Section& section, const UsualState& usual)
    : program_(find_program(section)),
      directory_(section.directory),
      arguments_(section.command),
      environment_(environment_of(line, section)),
      usual_(usual) {}

ChildProcess::ChildProcess(const Words& words, const UsualState& usual)
    : program_(words.front()), arguments_(words), environment_(own_environment()), usual_(usual) {}

pid_t ChildProcess::start(const std::string& variable, const Streams& streams,
                          const std::vector<int>& cpus, Failure* failure) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    *failure = {1, std::string("no pipe: ") + cause_of(errno)};
    return -1;
  }
  const pid_t parent = getpid();
  const pid_t made = fork();
  if (made == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(report[0]);
    if (!cpus.empty()) platform::bind_this_thread(cpus);
    become(variable, streams, report[1]);
  }
  close(report[1]);
  int cause = made < 0 ? errno : 0;
  // If the pipe ends without a report, the program runs.
  if (made > 0 && read(report[0], &cause, sizeof cause) != sizeof cause) cause = 0;
  close(report[0]);
  if (cause == 0) return made;
  if (made > 0) waitpid(made, nullptr, 0);
  *failure = {kStatusNotExecutable, "cannot start '" + program_ + "': " + cause_of(cause)};
  return -1;
}

void ChildProcess::become(const std::string& variable, const Streams& streams, int report) {
  environment_.push_back(variable);
  const int nothing = streams.has_input ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (streams.output >= 0) dup2(streams.output, STDOUT_FILENO);
  if (streams.errors >= 0) dup2(streams.errors, STDERR_FILENO);
  setrlimit(RLIMIT_NOFILE, &usual_.files);
  if (directory_.empty() || chdir(directory_.c_str()) == 0) {
    sigprocmask(SIG_SETMASK, &usual_.mask, nullptr);
    execve(program_.c_str(), pointers_to(arguments_).data(), pointers_to(environment_).data());
  }
  const int cause = errno;
  [[maybe_unused]] const ssize_t told = write(report, &cause, sizeof cause);
  _exit(1);
}

}  // namespace heddle::launch
