#include "launch/mpiexec/launchers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/program_file.h"

namespace heddle::launch {

namespace {

// How the processes of a job are placed.
struct Placement {
  Words machines;     // empty: those of Slurm's allocation
  int count = 0;      // of machines
  int a_machine = 1;  // processes of each, at most
  bool are_ranks = false;
};

struct Launcher {
  const char* name;
  const char* program;
  const char* variable;  // it is taken unasked only where this is set; null: everywhere
  // Its options for the whole job, for a number of processes, and for those of one program.
  void (*add_job)(const CommandLine& line, const Placement& placement, Words& words);
  void (*add_count)(const Placement& placement, int processes, Words& words);
  void (*add_section)(const CommandLine& line, const Section& section, Words& words);
};

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

std::string list_of(const Words& words, const std::string& behind_each = "") {
  std::string list;
  for (const std::string& word : words) {
    list.append(list.empty() ? "" : ",").append(word).append(behind_each);
  }
  return list;
}

Words environment_of(const CommandLine& line, const Section& section) {
  Words all = line.environment;
  all.insert(all.end(), section.environment.begin(), section.environment.end());
  return all;
}

// ---- hydra passes mpiexec's environment on

void add_hydra_job(const CommandLine& line, const Placement& placement, Words& words) {
  if (line.label_lines && placement.are_ranks) append(words, {"-prepend-rank"});
  append(words,
         {"-hosts", list_of(placement.machines), "-ppn", std::to_string(placement.a_machine)});
}

void add_hydra_count(const Placement&, int processes, Words& words) {
  append(words, {"-n", std::to_string(processes)});
}

void add_hydra_section(const CommandLine& line, const Section& section, Words& words) {
  append(words, {"-wdir", section.directory});
  for (const std::string& word : environment_of(line, section)) {
    const std::size_t equals = word.find('=');
    append(words, {"-env", word.substr(0, equals), word.substr(equals + 1)});
  }
}

// ---- prterun passes on what it is told to

bool is_passed_on(std::string_view name) {
  return name.starts_with("HEDDLE_") || name == "GLIBC_TUNABLES" || name == "LD_LIBRARY_PATH" ||
         name == "LD_PRELOAD" || name == "PATH";
}

void add_prterun_job(const CommandLine& line, const Placement& placement, Words& words) {
  append(words, {"--bind-to", "none"});
  if (geteuid() == 0) append(words, {"--allow-run-as-root"});
  if (line.label_lines && placement.are_ranks) append(words, {"--output", "tag"});
}

void add_prterun_count(const Placement& placement, int processes, Words& words) {
  append(words, {"--host", list_of(placement.machines, ":" + std::to_string(placement.a_machine)),
                 "-n", std::to_string(processes)});
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view word = *each;
    const std::string_view name = word.substr(0, word.find('='));
    if (is_passed_on(name)) append(words, {"-x", std::string(name)});
  }
}

void add_prterun_section(const CommandLine& line, const Section& section, Words& words) {
  append(words, {"--wdir", section.directory});
  for (const std::string& word : environment_of(line, section)) append(words, {"-x", word});
}

// ---- srun passes mpiexec's environment on

void add_srun_job(const CommandLine& line, const Placement& placement, Words& words) {
  if (placement.are_ranks && line.sections.size() > 1) {
    fail_usage(
        "srun starts one program for ranks that are processes; name one, or another --launcher");
  }
  append(words, {"--kill-on-bad-exit=1", "--mpi=pmi2", "--overcommit", "--cpu-bind=none",
                 "--distribution=block", "--nodes=" + std::to_string(placement.count)});
  if (!placement.machines.empty()) append(words, {"--nodelist=" + list_of(placement.machines)});
  if (line.label_lines && placement.are_ranks) append(words, {"--label"});
}

void add_srun_count(const Placement&, int processes, Words& words) {
  append(words, {"--ntasks=" + std::to_string(processes)});
}

void add_srun_section(const CommandLine& line, const Section& section, Words& words) {
  const Words environment = environment_of(line, section);
  append(words, {"--chdir=" + section.directory});
  if (!environment.empty()) append(words, {"--export=ALL," + list_of(environment)});
}

constexpr Launcher kLaunchers[] = {
    {"srun", "srun", "SLURM_JOB_ID", add_srun_job, add_srun_count, add_srun_section},
    {"hydra", "mpiexec.hydra", nullptr, add_hydra_job, add_hydra_count, add_hydra_section},
    {"prterun", "prterun", nullptr, add_prterun_job, add_prterun_count, add_prterun_section},
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
    const bool usable = each.variable == nullptr || std::getenv(each.variable) != nullptr;
    if (wish.empty() ? !usable : wish != each.name) continue;
    *path = path_of(each.program);
    if (!path->empty()) return each;
    tried += (tried.empty() ? "" : ", ") + std::string(each.program);
  }
  throw Failure{kStatusNotFound,
                "jobs on several machines need another launcher, and PATH has none of: " + tried};
}

// The machines that the user names, else those of Slurm's allocation.
int count_machines(const CommandLine& line, const Launcher& launcher) {
  if (!line.machines.empty()) return static_cast<int>(line.machines.size());
  const char* const nodes =
      launcher.name == std::string_view("srun") ? std::getenv("SLURM_JOB_NUM_NODES") : nullptr;
  if (nodes != nullptr && std::atoi(nodes) > 0) return std::atoi(nodes);
  fail_usage("argument --launcher: name the machines with --host or --hostfile");
}

Placement place(const CommandLine& line, const Launcher& launcher, int ranks) {
  const int most = count_machines(line, launcher);
  const int wanted =
      line.ranks_a_machine > 0 ? (ranks + line.ranks_a_machine - 1) / line.ranks_a_machine : most;
  if (wanted > most) {
    fail_usage("the job has " + std::to_string(ranks) + " ranks, but " + std::to_string(most) +
               " machines with " + std::to_string(line.ranks_a_machine) + " each carry fewer");
  }
  Placement placement;
  placement.count = std::min(wanted, ranks);
  const auto named =
      std::min<std::size_t>(line.machines.size(), static_cast<std::size_t>(placement.count));
  placement.machines.assign(line.machines.begin(),
                            line.machines.begin() + static_cast<std::ptrdiff_t>(named));
  return placement;
}

void add_ranks(const CommandLine& line, const Launcher& launcher, const Placement& placement,
               Words& words) {
  for (const Section& section : line.sections) {
    if (&section != line.sections.data()) append(words, {":"});
    launcher.add_count(placement, section.ranks, words);
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
  for (const Launcher& each : kLaunchers) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

Words launcher_command(const CommandLine& line, bool ranks_are_processes) {
  std::string path;
  const Launcher& launcher = choose(line.launcher, &path);
  int ranks = 0;
  for (const Section& section : line.sections) ranks += section.ranks;
  Placement placement = place(line, launcher, ranks);
  placement.are_ranks = ranks_are_processes;
  placement.a_machine = ranks_are_processes
                            ? (ranks + placement.count - 1) / placement.count
                            : std::clamp(line.processes, 1, ranks / placement.count);
  const std::string where = placement.machines.empty()
                                ? std::to_string(placement.count) + " machines"
                                : list_of(placement.machines);
  std::cerr << "mpiexec: " << launcher.name << " (" << path << ") starts the job on " << where
            << '\n';
  Words words{path};
  launcher.add_job(line, placement, words);
  if (ranks_are_processes) {
    add_ranks(line, launcher, placement, words);
    return words;
  }
  const int hosts = placement.count * placement.a_machine;
  launcher.add_count(placement, hosts, words);
  const Words host = host_command(line, hosts);
  words.insert(words.end(), host.begin(), host.end());
  return words;
}

}  // namespace heddle::launch
