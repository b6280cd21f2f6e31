#include "launch/mpiexec/options.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/launchers.h"
#include "launch/mpiexec/machines.h"
#include "launch/mpiexec/settings.h"

namespace heddle::launch {

namespace {

// The things that an option's function may use.
struct Context {
  Section& section;
  CommandLine& line;
  std::string name;   // of the option, as the user wrote it
  std::string value;  // its first value
  std::string second_value;
};

[[noreturn]] void refuse(const Context& at, const std::string& why) {
  fail_usage("argument " + at.name + why);
}

int positive_number(const Context& at) {
  int number = 0;
  const char* end = at.value.data() + at.value.size();
  const auto [rest, error] = std::from_chars(at.value.data(), end, number);
  if (error != std::errc() || rest != end || number < 1) {
    refuse(at, " is '" + at.value + "', but must be a whole number from 1 on");
  }
  return number;
}

void check_variable_name(const Context& at, const std::string& name) {
  if (name.empty() || name.find('=') != std::string::npos) {
    refuse(at, " is '" + name + "', which is not the name of a variable");
  }
}

// One process carries all ranks, so no rank has a setting of its own.
void check_no_setting(const Context& at, const std::string& name) {
  if (is_library_setting(name)) {
    refuse(at, " sets " + name + " for ranks, but it holds for the whole job; set it for mpiexec");
  }
}

// -x NAME takes the value from mpiexec's environment, which the ranks have anyway.
void export_variable(Context& at, Words& environment) {
  const std::size_t equals = at.value.find('=');
  check_variable_name(at, at.value.substr(0, equals));
  if (equals != std::string::npos) {
    check_no_setting(at, at.value.substr(0, equals));
    environment.push_back(at.value);
  } else if (std::getenv(at.value.c_str()) == nullptr) {
    std::cerr << "mpiexec: argument " << at.name << " names " << at.value
              << ", which is not set; going on without it\n";
  }
}

void set_variable(Context& at, Words& environment) {
  check_variable_name(at, at.value);
  check_no_setting(at, at.value);
  environment.push_back(at.value + "=" + at.second_value);
}

void set_directory(Context& at) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::canonical(at.value, error);
  if (error) refuse(at, " is '" + at.value + "': " + error.message());
  if (!std::filesystem::is_directory(directory)) refuse(at, " is '" + at.value + "', no directory");
  at.section.directory = directory;
}

constexpr const char* kParts = "core, l3cache, numa, socket";

void set_binding(Context& at) {
  at.line.binds = at.value != "none";
  at.line.bind_to = platform::part_named(at.value);
  if (at.line.binds && !at.line.bind_to) {
    refuse(at, " is '" + at.value + "', but must be one of: " + kParts + ", none");
  }
}

void set_mapping(Context& at) {
  at.line.placement.map_by = platform::part_named(at.value);
  at.line.map_by_node = at.value == "node";
  if (!at.line.placement.map_by && at.value != "slot" && !at.line.map_by_node) {
    refuse(at, " is '" + at.value + "', but must be one of: slot, node, " + kParts);
  }
}

void set_ranking(Context& at) {
  if (at.value != "slot" && at.value != "fill") {
    refuse(at, " is '" + at.value + "', but must be slot or fill");
  }
  at.line.placement.rank_by_fill = at.value == "fill";
}

void set_trace(Context& at) {
  if (at.value.empty()) refuse(at, " is empty, but must be a file");
  const std::string path = std::filesystem::absolute(at.value);
  choose_setting(settings::Id::kTrace, "argument " + at.name, path, at.line);
}

void set_kind_of_ranks(Context& at) {
  if (at.value != "threads" && at.value != "processes") {
    refuse(at, " is '" + at.value + "', but must be threads or processes");
  }
  at.line.ranks_as = at.value == "threads" ? RanksAs::kThreads : RanksAs::kProcesses;
}

void set_launcher(Context& at) {
  if (!is_launcher(at.value)) {
    refuse(at, " is '" + at.value + "', but must be one of: " + names_of_launchers());
  }
  at.line.launcher = at.value;
}

std::string help();
std::string version();

struct Option {
  const char* names;   // separated by blanks; one dash or two are the same to the parser
  const char* values;  // their names in --help, one word each
  const char* help;
  void (*apply)(Context&);
};

const Option kOptions[] = {
    {"-n -np", "N", "ranks of this program; default 1",
     [](Context& at) { at.section.ranks = positive_number(at); }},
    {"-wdir -wd", "DIR", "working directory of its ranks", set_directory},
    {"-path", "DIRS", "where to look for the program, in place of PATH",
     [](Context& at) { at.section.search_path = at.value; }},
    {"-x", "NAME[=VALUE]", "environment variable of its ranks",
     [](Context& at) { export_variable(at, at.section.environment); }},
    {"-env", "NAME VALUE", "the same as -x, in MPICH's spelling",
     [](Context& at) { set_variable(at, at.section.environment); }},
    {"-genv", "NAME VALUE", "environment variable of all ranks of the job",
     [](Context& at) { set_variable(at, at.line.environment); }},
    {"-l -prepend-rank --tag-output", "", "put [RANK] before each line of output",
     [](Context& at) { at.line.label_lines = true; }},
    {"--workers", "N", "kernel threads that run the ranks; default: one for each usable core",
     [](Context& at) { at.line.workers = positive_number(at); }},
    {"--bind-to", "core|l3cache|numa|socket|none",
     "what a process of one rank is bound to; default: to nothing, or to a core with --map-by; "
     "workers are bound to a core each "
     "(default), or to nothing",
     set_binding},
    {"--map-by", "slot|node|core|l3cache|numa|socket",
     "ranks go in turn to each of these parts of a machine; default: slot, in blocks", set_mapping},
    {"--rank-by", "slot|fill", "number them in that order (default), or part by part", set_ranking},
    {"--report-bindings", "", "print where ranks and workers are",
     [](Context& at) { at.line.report_bindings = true; }},
    {"--balance", "",
     "move ranks between workers where their loads are uneven; default: ranks stay",
     [](Context& at) { at.line.balances = true; }},
    {"--no-deadlock-check", "",
     "do not look whether all ranks wait for each other; default: a job of which that is proven "
     "ends with a table",
     [](Context& at) { at.line.checks_deadlock = false; }},
    {"--stats", "",
     "print at the end what workers and ranks did: time busy and idle, time in MPI, waits, "
     "messages",
     [](Context& at) {
       choose_setting(settings::Id::kStats, "argument " + at.name, "yes", at.line);
     }},
    {"--trace", "FILE",
     "write at the end what happened when: JSON for Perfetto (ui.perfetto.dev) and Chrome",
     set_trace},
    {"--ranks-as", "threads|processes",
     "what a rank is; default: a thread, a process where a program was not linked by mpicc",
     set_kind_of_ranks},
    {"--processes", "N",
     "processes that share out ranks which are threads; default: one carries all",
     [](Context& at) { at.line.processes = positive_number(at); }},
    {"--posix-threads", "ult|kernel",
     "what pthread_create makes in a rank: user-level (default) or kernel threads",
     [](Context& at) {
       choose_setting(settings::Id::kPosixThreads, "argument " + at.name, at.value, at.line);
     }},
    {"--malloc", "glibc|mimalloc",
     "the allocator of ranks: glibc's, one for all (default), or mimalloc with a heap for each",
     [](Context& at) {
       choose_setting(settings::Id::kMalloc, "argument " + at.name, at.value, at.line);
     }},
    {"-initial-errhandler", "NAME",
     "at first: mpi_errors_are_fatal (default), mpi_errors_abort, mpi_errors_return",
     [](Context& at) {
       choose_setting(settings::Id::kInitialErrhandler, "argument " + at.name, at.value, at.line);
     }},
    {"--share-library", "NAME",
     "a thread-safe library that all ranks share; without it each has a copy",
     [](Context& at) { at.line.shared_libraries.push_back(at.value); }},
    {"-configfile", "FILE", "read the programs from FILE, one line each; # begins a comment",
     [](Context& at) { at.line.config_file = at.value; }},
    {"-host -hosts -H", "HOST,...",
     "machines to run on; ranks are spread evenly, or by numbers (HOST:4); default: those of "
     "the allocation, else this one",
     [](Context& at) { add_hosts(at.name, at.value, at.line.machines); }},
    {"-f -hostfile -machinefile", "FILE", "a file that lists the machines, one a line",
     [](Context& at) { add_host_file(at.name, at.value, at.line.machines); }},
    {"-ppn", "N", "ranks on each machine; uses only as many machines as that makes necessary",
     [](Context& at) { at.line.ranks_a_machine = positive_number(at); }},
    {"--launcher", "NAME",
     "which other launcher starts a job on several machines: srun, hydra, prterun", set_launcher},
    {"--oversubscribe --allow-run-as-root", "", "accepted; it is always so", [](Context&) {}},
    {"-disable-auto-cleanup", "", "accepted; ranks share a process, so one that fails ends all",
     [](Context&) {}},
    {"--show", "", "print the command of the job's process; run nothing",
     [](Context& at) { at.line.show_only = true; }},
    {"--help -h", "", "print this text", [](Context& at) { at.line.answer = help(); }},
    {"--version -V", "", "print the version", [](Context& at) { at.line.answer = version(); }},
};

Words split(const char* text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string version() {
  return "mpiexec (Heddle) " HEDDLE_VERSION ", MPI 5.0 standard ABI\n";
}

std::string help() {
  std::string text =
      "mpiexec [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n"
      "Runs an MPI job: every rank a thread of one process, on one kernel thread a core; or every "
      "rank\n"
      "a process, where a program is none of Heddle's mpicc.\n\n";
  for (const Option& option : kOptions) {
    std::string left = std::string("  ") + option.names + " " + option.values;
    left.resize(std::max<std::size_t>(left.size() + 2, 40), ' ');
    text += left + option.help + "\n";
  }
  return text + "\nSettings, in mpiexec's environment (docs/reference/settings.md):\n" +
         help_on_settings() +
         "\nThe exit status is that of the first rank that failed, or 0. Standard input goes to "
         "rank "
         "0.\nCtrl-C and SIGTERM end all ranks.\n";
}

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// kOptions as getopt_long_only wants them; val is the option's index.
struct GetoptTables {
  std::string letters = "+:";  // stop at the program; tell a missing value from a strange option
  std::vector<Words> names;
  std::vector<option> longs;
  std::vector<std::size_t> index_of_letter = std::vector<std::size_t>(256, 0);

  GetoptTables() {
    for (const Option& each : kOptions) {
      names.push_back(split(each.names));
      for (std::string& name : names.back()) name = without_dashes(name);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool valued = *kOptions[i].values != '\0';
      for (const std::string& name : names[i]) {
        if (name.size() == 1) {
          letters += valued ? name + ":" : name;
          index_of_letter[static_cast<unsigned char>(name[0])] = i;
        } else {
          longs.push_back({name.c_str(), valued ? required_argument : no_argument, nullptr,
                           kFirstLong + static_cast<int>(i)});
        }
      }
    }
    longs.push_back({nullptr, 0, nullptr, 0});
  }

  static constexpr int kFirstLong = 256;  // past every letter

  // The option that `found`, getopt's result for `word`, means. getopt also takes unambiguous
  // beginnings of names; those are refused, since the next release may give them another meaning.
  const Option& option_of(int found, const std::string& word) const {
    if (found < kFirstLong) return kOptions[index_of_letter[static_cast<unsigned char>(found)]];
    const auto index = static_cast<std::size_t>(found - kFirstLong);
    const std::string name = without_dashes(word);
    for (const std::string& each : names[index]) {
      if (each == name) return kOptions[index];
    }
    fail_usage("there is no option " + word + "; did you mean --" + names[index][0] + "?");
  }
};

}  // namespace

std::size_t read_options(const Words& words, Section& section, CommandLine& line) {
  static const GetoptTables tables;
  std::vector<char*> argv{const_cast<char*>("mpiexec")};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int argc = static_cast<int>(argv.size()) - 1;

  optind = 0;  // glibc: start afresh
  opterr = 0;
  for (;;) {
    const std::string word = optind == 0     ? (words.empty() ? "" : words[0])
                             : optind < argc ? argv[static_cast<std::size_t>(optind)]
                                             : "";
    const int found =
        getopt_long_only(argc, argv.data(), tables.letters.c_str(), tables.longs.data(), nullptr);
    if (found == -1) return static_cast<std::size_t>(optind) - 1;
    const std::string spelled = word.substr(0, word.find('='));
    if (found == ':') fail_usage("argument " + spelled + " needs a value");
    if (found == '?') fail_usage("there is no option " + spelled + "; mpiexec --help lists them");

    const Option& option = tables.option_of(found, spelled);
    Context context{section, line, spelled, optarg != nullptr ? optarg : "", ""};
    if (split(option.values).size() == 2) {
      if (optind >= argc) fail_usage("argument " + spelled + " needs a name and a value");
      context.second_value = argv[static_cast<std::size_t>(optind++)];
    }
    option.apply(context);
  }
}

}  // namespace heddle::launch
