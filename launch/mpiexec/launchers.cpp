#include "launch/mpiexec/launchers.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <utility>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/host_command.h"
#include "launch/mpiexec/program_file.h"
#include "launch/mpiexec/spread.h"

namespace heddle::launch {

namespace {

// How the processes of a job are placed.
struct Placement {
  Words machines;
  std::vector<int> machine_of;  // by process
  std::vector<int> counts;      // of processes, by machine
  bool in_blocks = true;        // else in turn
  bool is_even = true;  // no machine has two more than another one, and the first ones have more
  bool are_ranks = false;
};

struct Launcher {
  const char* name;
  const char* program;
  const char* variable;  // it is taken unasked only where this is set; null: everywhere
  // Adds the launcher's options for the whole job, for a number of processes, and for those of one
  // program; and what each of them runs.
  void (*add_job)(const CommandLine& line, const Placement& placement, Words& words);
  void (*add_count)(const Placement& placement, int processes, Words& words);
  void (*add_section)(const CommandLine& line, const Section& section, Words& words);
  void (*add_command)(const Words& command, Words& words);
};

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

std::string list_of(const Words& words) {
  std::string list;
  for (const std::string& word : words) list.append(list.empty() ? "" : ",").append(word);
  return list;
}

// a:2,b:1
std::string list_with_counts(const Placement& placement) {
  Words words;
  for (std::size_t i = 0; i < placement.machines.size(); ++i) {
    words.push_back(placement.machines[i] + ":" + std::to_string(placement.counts[i]));
  }
  return list_of(words);
}

void add_as_it_is(const Words& command, Words& words) {
  words.insert(words.end(), command.begin(), command.end());
}

// The machine of each process.
Words one_by_one(const Placement& placement) {
  Words names;
  for (const int machine : placement.machine_of) {
    names.push_back(placement.machines[static_cast<std::size_t>(machine)]);
  }
  return names;
}

Words environment_of(const CommandLine& line, const Section& section) {
  Words all = line.environment;
  all.insert(all.end(), section.environment.begin(), section.environment.end());
  return all;
}

// ---- hydra passes mpiexec's environment on

void add_hydra_job(const CommandLine& line, const Placement& placement, Words& words) {
  if (line.label_lines && placement.are_ranks) append(words, {"-prepend-rank"});
  append(words, {"-hosts", list_with_counts(placement)});
  if (placement.in_blocks) return;
  std::string map = "(vector";
  for (const int machine : placement.machine_of) map += "," + std::to_string(machine);
  append(words, {"-rankmap", map + ")"});
}

void add_hydra_count(const Placement&, int processes, Words& words) {
  append(words, {"-n", std::to_string(processes)});
}

// hydra goes on where a program cannot be started, and the others wait for it. It ends the job
// where one is killed; what was said before must have been read by then.
void add_hydra_command(const Words& command, Words& words) {
  constexpr const char* kLook =
      "for f in \"$1\" \"$2\"; do [ -x \"$f\" ] || { echo \"$0: node $(uname -n) has no $f\" >&2; "
      "sleep 0.2; kill -KILL $$; }; done; shift 2; exec \"$@\"";
  append(words, {"sh", "-c", kLook, "mpiexec", command[0], library_path()});
  words.insert(words.end(), command.begin(), command.end());
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
  if (!placement.in_blocks) append(words, {"--map-by", "seq"});
  if (line.label_lines && placement.are_ranks) append(words, {"--output", "tag"});
}

void add_prterun_count(const Placement& placement, int processes, Words& words) {
  append(words, {"--host",
                 placement.in_blocks ? list_with_counts(placement) : list_of(one_by_one(placement)),
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

// A launcher that was moved, as a wheel of PyPI is, does not find its own parts.
void find_prefixes(const std::string& path) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical(path, error);
  const std::filesystem::path prefix = program.parent_path().parent_path();
  for (const auto& [variable, part] :
       {std::pair{"PRTE_PREFIX", "share/prte"}, {"PMIX_PREFIX", "share/pmix"}}) {
    if (std::filesystem::exists(prefix / part, error)) setenv(variable, prefix.c_str(), 0);
  }
}

// ---- srun passes mpiexec's environment on

void add_srun_job(const CommandLine& line, const Placement& placement, Words& words) {
  if (placement.are_ranks && line.sections.size() > 1) {
    fail_usage(
        "srun starts one program for ranks that are processes; name one, or another --launcher");
  }
  append(words, {"--kill-on-bad-exit=1", "--mpi=pmi2", "--overcommit", "--cpu-bind=none",
                 "--nodes=" + std::to_string(placement.machines.size())});
  if (placement.is_even) {
    append(words, {placement.in_blocks ? "--distribution=block" : "--distribution=cyclic",
                   "--nodelist=" + list_of(placement.machines)});
  } else {
    append(words, {"--distribution=arbitrary", "--nodelist=" + list_of(one_by_one(placement))});
  }
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
    {"srun", "srun", "SLURM_JOB_ID", add_srun_job, add_srun_count, add_srun_section, add_as_it_is},
    {"hydra", "mpiexec.hydra", nullptr, add_hydra_job, add_hydra_count, add_hydra_section,
     add_hydra_command},
    {"prterun", "prterun", nullptr, add_prterun_job, add_prterun_count, add_prterun_section,
     add_as_it_is},
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
                "jobs on several machines need another launcher, and PATH has none of: " + tried +
                    "; --host localhost runs on this machine alone"};
}

std::vector<int> counts_of(const std::vector<int>& machine_of) {
  std::vector<int> counts;
  for (const int machine : machine_of) {
    counts.resize(std::max(counts.size(), static_cast<std::size_t>(machine) + 1));
    ++counts[static_cast<std::size_t>(machine)];
  }
  return counts;
}

Placement place(const CommandLine& line, std::vector<int> machine_of) {
  Placement placement;
  placement.counts = counts_of(machine_of);
  for (std::size_t i = 0; i < placement.counts.size(); ++i) {
    placement.machines.push_back(line.machines[i].name);
  }
  placement.in_blocks = std::is_sorted(machine_of.begin(), machine_of.end());
  const auto [least, most] = std::ranges::minmax(placement.counts);
  placement.is_even = most - least <= 1 && std::ranges::is_sorted(placement.counts, std::greater());
  placement.machine_of = std::move(machine_of);
  return placement;
}

// Says how many processes that carry ranks each machine of the ranks gets.
Placement place_hosts(const CommandLine& line, const std::vector<int>& machine_of_rank) {
  const std::vector<int> ranks = counts_of(machine_of_rank);
  const int a_machine = std::clamp(line.processes, 1, *std::ranges::min_element(ranks));
  std::vector<int> machine_of;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    machine_of.insert(machine_of.end(), static_cast<std::size_t>(a_machine), static_cast<int>(i));
  }
  return place(line, std::move(machine_of));
}

// The host of each rank, as heddle-host is told it (launch/host/job_words.h); "": in even blocks,
// which need not be said.
std::string places_of(const std::vector<int>& machine_of_rank, int a_machine) {
  const std::vector<int> counts = counts_of(machine_of_rank);
  const auto ranks = static_cast<long>(machine_of_rank.size());
  const long hosts = static_cast<long>(counts.size()) * a_machine;
  std::vector<int> before(counts.size());  // ranks of each machine
  std::string text;
  bool is_usual = true;
  long host = -1, times = 0;
  const auto end_run = [&] {
    if (times == 0) return;
    text += (text.empty() ? "" : ",") + std::to_string(host) + "x" + std::to_string(times);
  };
  for (long rank = 0; rank < ranks; ++rank) {
    const int machine = machine_of_rank[static_cast<std::size_t>(rank)];
    const auto at = static_cast<std::size_t>(machine);
    const long own = static_cast<long>(machine) * a_machine +
                     static_cast<long>(before[at]++) * a_machine / counts[at];
    is_usual = is_usual && own == rank * hosts / ranks;
    if (own != host) {
      end_run();
      times = 0;
    }
    host = own;
    ++times;
  }
  end_run();
  return is_usual ? "" : text;
}

void add_ranks(const CommandLine& line, const Launcher& launcher, const Placement& placement,
               Words& words) {
  for (const Section& section : line.sections) {
    if (&section != line.sections.data()) append(words, {":"});
    launcher.add_count(placement, section.ranks, words);
    launcher.add_section(line, section, words);
    Words command = section.command;
    command[0] = find_program(section);
    launcher.add_command(command, words);
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
  if (line.machines.empty()) {
    fail_usage("argument --launcher: name the machines with --host or --hostfile");
  }
  int ranks = 0;
  for (const Section& section : line.sections) ranks += section.ranks;
  const std::vector<int> machine_of_rank =
      spread_ranks(ranks, line.machines, line.ranks_a_machine, line.map_by_node);
  Placement placement =
      ranks_are_processes ? place(line, machine_of_rank) : place_hosts(line, machine_of_rank);
  placement.are_ranks = ranks_are_processes;
  std::cerr << "mpiexec: " << launcher.name << " (" << path << ") starts the job on "
            << list_of(placement.machines)
            << (line.allocation.empty() ? "" : ", of " + line.allocation) << '\n';
  if (launcher.add_job == add_prterun_job) find_prefixes(path);
  Words words{path};
  launcher.add_job(line, placement, words);
  if (ranks_are_processes) {
    add_ranks(line, launcher, placement, words);
    return words;
  }
  const int hosts = static_cast<int>(placement.machine_of.size());
  launcher.add_count(placement, hosts, words);
  launcher.add_command(host_command(line, hosts, places_of(machine_of_rank, placement.counts[0])),
                       words);
  return words;
}

}  // namespace heddle::launch
