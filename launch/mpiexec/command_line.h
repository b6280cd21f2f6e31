// command_line.h — what a command line of mpiexec asks for.
//
//   mpiexec -l -n 1 ./master : -n 63 -wdir /data ./worker 7
//              └── section ──┘   └───────── section ───────┘
//
// Options before a program belong to its section; those that can only hold for the whole job
// (--workers, -l …) may stand in any.
//
// Thread safety: mpiexec has one thread.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/platform/placement.h"

namespace heddle::launch {

using Words = std::vector<std::string>;

// `ranks` copies of one program.
struct Section {
  int ranks = 0;            // 0 until count_ranks(): not said
  std::string directory;    // absolute
  std::string search_path;  // -path; empty: PATH
  Words environment;        // NAME=value
  Words command;            // the program and its arguments, as the user wrote them
};

struct Machine {
  std::string name;
  int slots = 0;  // ranks that it is to carry before others get more; 0: the user has not said
};

enum class RanksAs { kBest, kThreads, kProcesses };

// The whole job.
struct CommandLine {
  std::vector<Section> sections;
  Words environment;  // NAME=value, for all sections
  Words shared_libraries;
  int workers = 0;                        // 0: one for each core
  bool binds = true;                      // else the kernel may move workers and processes
  std::optional<platform::Part> bind_to;  // as placement.h has it
  platform::Placement placement;
  bool map_by_node = false;  // ranks go to the machines in turn
  bool report_bindings = false;
  bool checks_deadlock = true;
  bool balances = false;
  int longest_s = 0;  // the job ends then, with a report; 0: it may take any time
  std::vector<std::pair<std::string, std::string>> settings;  // NAME, value: what options chose
  std::vector<Machine>
      machines;             // to run on, each once; empty: those of the allocation, else this one
  std::string allocation;   // where they come from, if the user has named none
  int ranks_a_machine = 0;  // at most; 0: spread evenly over all of them
  bool fills_machines = false;  // without -n: ranks_a_machine for each of them
  std::string launcher;         // for several machines; empty: the first that is found
  RanksAs ranks_as = RanksAs::kBest;
  int processes = 0;  // that carry ranks which are threads; 0: one, which mpiexec becomes
  bool label_lines = false;
  bool show_only = false;  // print what would run
  bool verbose = false;
  Words without_effect;  // options of other launchers
  std::string config_file;
  std::string answer;  // of --help and --version: print it, run nothing
};

// Throws Failure.
CommandLine read_command_line(const Words& words);

// Once the machines are known: how many ranks each section has, where no option says so.
void count_ranks(CommandLine& line);

}  // namespace heddle::launch
