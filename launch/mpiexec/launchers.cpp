#include "launch/mpiexec/launchers.h"

#include <algorithm>
#include <iostream>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

// How the processes of a job are placed.
struct Placement {
  const Words& machines;
  int a_machine;  // processes of each, at most
  bool are_ranks;
};

std::string list_of(const Words& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

struct Launcher {
  const char* name;
  const char* program;
  // Its options for the whole job, and those of some processes of one program.
  void (*add_job)(const CommandLine& line, const Placement& placement, Words& words);
  void (*add_section)(const CommandLine& line, const Section& section, Words& words);
};

void add_hydra_job(const CommandLine& line, const Placement& placement, Words& words) {
  if (line.label_lines && placement.are_ranks) words.emplace_back("-prepend-rank");
  words.insert(words.end(), {"-hosts", list_of(placement.machines), "-ppn",
                             std::to_string(placement.a_machine)});
}

void add_hydra_section(const CommandLine& line, const Section& section, Words& words) {
  words.insert(words.end(), {"-wdir", section.directory});
  for (const Words* environment : {&line.environment, &section.environment}) {
    for (const std::string& word : *environment) {
      const std::size_t equals = word.find('=');
      words.insert(words.end(), {"-env", word.substr(0, equals), word.substr(equals + 1)});
    }
  }
}

constexpr Launcher kLaunchers[] = {
    {"hydra", "mpiexec.hydra", add_hydra_job, add_hydra_section},
};

std::string path_of(const char* program) {
  Section section;
  section.command = {program};
  try {
    return find_program(section);
  } catch (const Failure&) {
    return "";
  }
}

// The one that the user wishes, else the first that is there.
const Launcher& choose(const std::string& wish, std::string* path) {
  std::string tried;
  for (const Launcher& each : kLaunchers) {
    if (!wish.empty() && wish != each.name) continue;
    *path = path_of(each.program);
    if (!path->empty()) return each;
    tried += (tried.empty() ? "" : ", ") + std::string(each.program);
  }
  throw Failure{kStatusNotFound,
                "jobs on several machines need another launcher, and PATH has none of: " + tried};
}

void add_processes(const CommandLine& line, const Launcher& launcher, Words& words) {
  for (const Section& section : line.sections) {
    if (&section != line.sections.data()) words.emplace_back(":");
    words.insert(words.end(), {"-n", std::to_string(section.ranks)});
    launcher.add_section(line, section, words);
    words.push_back(find_program(section));
    words.insert(words.end(), section.command.begin() + 1, section.command.end());
  }
}

}  // namespace

bool is_launcher(const std::string& name) {
  return std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                     [&](const Launcher& each) { return name == each.name; });
}

std::string names_of_launchers() {
  std::string names;
  for (const Launcher& each : kLaunchers)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

Words launcher_command(const CommandLine& line, bool ranks_are_processes) {
  if (line.machines.empty()) {
    fail_usage(
        "argument --launcher is for jobs on several machines; name them with --host or --hostfile");
  }
  std::string path;
  const Launcher& launcher = choose(line.launcher, &path);
  int ranks = 0;
  for (const Section& section : line.sections) ranks += section.ranks;
  const int most = static_cast<int>(line.machines.size());
  const int wanted =
      line.ranks_a_machine > 0 ? (ranks + line.ranks_a_machine - 1) / line.ranks_a_machine : most;
  if (wanted > most) {
    fail_usage("the job has " + std::to_string(ranks) + " ranks, but " + std::to_string(most) +
               " machines with " + std::to_string(line.ranks_a_machine) + " each carry fewer");
  }
  const int hosts = std::min(wanted, ranks);
  const Words machines(line.machines.begin(), line.machines.begin() + hosts);
  std::cerr << "mpiexec: " << launcher.name << " (" << path << ") starts the job on "
            << list_of(machines) << '\n';
  Words words{path};
  const int a_machine = ranks_are_processes ? (ranks + hosts - 1) / hosts : 1;
  launcher.add_job(line, {machines, a_machine, ranks_are_processes}, words);
  if (ranks_are_processes) {
    add_processes(line, launcher, words);
    return words;
  }
  words.insert(words.end(), {"-n", std::to_string(hosts)});
  const Words host = host_command(line, hosts);
  words.insert(words.end(), host.begin(), host.end());
  return words;
}

}  // namespace heddle::launch
