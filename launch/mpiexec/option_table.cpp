#include "launch/mpiexec/option_table.h"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "launch/mpiexec/failure.h"
#include "launch/mpiexec/launchers.h"
#include "launch/mpiexec/machines.h"
#include "launch/mpiexec/settings.h"

namespace heddle::launch {

namespace {

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

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Open MPI's options have parts behind a colon. Ranks may outnumber cores anyway.
std::string without_oversubscribe(const std::string& value) {
  constexpr std::string_view kAllowed[] = {":oversubscribe", ":overload-allowed"};
  std::string rest = lower_case(value);
  for (const std::string_view each : kAllowed) {
    if (rest.ends_with(each)) rest.resize(rest.size() - each.size());
  }
  return rest;
}

void set_ranks_a_machine(Context& at) {
  at.line.ranks_a_machine = positive_number(at);
  at.line.fills_machines = true;
}

void accept(Context& at) {
  at.line.without_effect.push_back(at.name);
}

void set_directory(Context& at) {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::canonical(at.value, error);
  const bool is_directory = !error && std::filesystem::is_directory(directory, error);
  if (error) refuse(at, " is '" + at.value + "': " + error.message());
  if (!is_directory) refuse(at, " is '" + at.value + "', no directory");
  at.section.directory = directory;
}

constexpr const char* kParts = "core, l3cache, numa, socket";

void set_binding(Context& at) {
  const std::string part = without_oversubscribe(at.value);
  at.line.binds = part != "none";
  at.line.bind_to = platform::part_named(part);
  if (at.line.binds && !at.line.bind_to) {
    refuse(at, " is '" + at.value + "', but must be one of: " + kParts + ", none");
  }
}

// ppr:N:node, Open MPI's processes per resource.
bool set_ranks_of_node(Context& at, const std::string& mapping) {
  constexpr std::string_view kBegin = "ppr:", kEnd = ":node";
  if (!mapping.starts_with(kBegin) || !mapping.ends_with(kEnd)) return false;
  at.value = mapping.substr(kBegin.size(), mapping.size() - kBegin.size() - kEnd.size());
  set_ranks_a_machine(at);
  return true;
}

void set_mapping(Context& at) {
  const std::string part = without_oversubscribe(at.value);
  if (set_ranks_of_node(at, part)) return;
  at.line.placement.map_by = platform::part_named(part);
  at.line.map_by_node = part == "node";
  if (!at.line.placement.map_by && !part.empty() && part != "slot" && !at.line.map_by_node) {
    refuse(at, " is '" + at.value + "', but must be one of: slot, node, ppr:N:node, " + kParts);
  }
}

void set_display(Context& at) {
  if (at.value != "map" && at.value != "bind" && at.value != "map,bind") {
    refuse(at, " is '" + at.value + "', but must be map or bind");
  }
  at.line.report_bindings = true;
}

void set_output(Context& at) {
  if (at.value != "tag") {
    refuse(at, " is '" + at.value + "', but must be tag; redirect what mpiexec prints");
  }
  at.line.label_lines = true;
}

void set_input(Context& at) {
  if (at.value != "0") refuse(at, " is '" + at.value + "', but input goes to rank 0");
}

void set_ranking(Context& at) {
  if (at.value != "slot" && at.value != "fill") {
    refuse(at, " is '" + at.value + "', but must be slot or fill");
  }
  at.line.placement.rank_by_fill = at.value == "fill";
}

void set_trace(Context& at) {
  if (at.value.empty()) refuse(at, " is empty, but must be a file");
  std::error_code error;
  const std::string path = std::filesystem::absolute(at.value, error);
  if (error) refuse(at, " is '" + at.value + "': there is no working directory");
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

const Option kOptions[] = {
    {"-n -np -c", "N", "ranks of this program; default 1",
     [](Context& at) { at.section.ranks = positive_number(at); }},
    {"-wdir -wd", "DIR", "working directory of its ranks", set_directory},
    {"-path", "DIRS", "where to look for the program, in place of PATH",
     [](Context& at) { at.section.search_path = at.value; }},
    {"-x", "NAME[=VALUE]", "environment variable of its ranks",
     [](Context& at) { export_variable(at, at.section.environment); }},
    {"-env", "NAME VALUE", "the same as -x, in MPICH's spelling; also NAME=VALUE",
     [](Context& at) { set_variable(at, at.section.environment); }},
    {"-genv", "NAME VALUE", "environment variable of all ranks of the job",
     [](Context& at) { set_variable(at, at.line.environment); }},
    {"-l -prepend-rank --tag-output", "", "put [RANK] before each line of output",
     [](Context& at) { at.line.label_lines = true; }},
    {"--workers", "N", "kernel threads that run the ranks; default: one for each usable core",
     [](Context& at) { at.line.workers = positive_number(at); }},
    {"--bind-to -binding", "core|l3cache|numa|socket|none",
     "what a process of one rank is bound to; default: to nothing, or to a core with --map-by; "
     "workers are bound to a core each "
     "(default), or to nothing",
     set_binding},
    {"--map-by", "slot|node|ppr:N:node|core|l3cache|numa|socket",
     "ranks go in turn to each of these parts of a machine; default: slot, in blocks; ppr:N:node "
     "is -N N",
     set_mapping},
    {"--rank-by", "slot|fill", "number them in that order (default), or part by part", set_ranking},
    {"--report-bindings --display-map --display-devel-map --print-rank-map", "",
     "print where ranks and workers are", [](Context& at) { at.line.report_bindings = true; }},
    {"--display", "map|bind", "the same, in Open MPI's spelling", set_display},
    {"--balance", "",
     "move ranks between workers where their loads are uneven; default: ranks stay",
     [](Context& at) { at.line.balances = true; }},
    {"--no-deadlock-check", "",
     "do not look whether all ranks wait for each other; default: a job of which that is proven "
     "ends with a table",
     [](Context& at) { at.line.checks_deadlock = false; }},
    {"--timeout", "SECONDS",
     "end a job that takes longer, with status 255 and a line that says where each rank is; "
     "MPIEXEC_TIMEOUT says the same",
     [](Context& at) { at.line.longest_s = positive_number(at); }},
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
    {"-host -hosts -hostlist -machines -machine -machinelist -H", "HOST,...",
     "machines to run on; ranks are spread evenly, or by numbers (HOST:4); default: those of "
     "the allocation, else this one",
     [](Context& at) { add_hosts(at.name, at.value, at.line.machines); }},
    {"-f -hostfile -machinefile -default-hostfile", "FILE",
     "a file that lists the machines, one a line",
     [](Context& at) { add_host_file(at.name, at.value, at.line.machines); }},
    {"-ppn -perhost -grr", "N",
     "ranks on each machine; uses only as many machines as that makes necessary",
     [](Context& at) { at.line.ranks_a_machine = positive_number(at); }},
    {"-N -npernode", "N", "the same; without -n there are N ranks for each machine",
     set_ranks_a_machine},
    {"-pernode", "", "the same as -npernode 1",
     [](Context& at) {
       at.value = "1";
       set_ranks_a_machine(at);
     }},
    {"--launcher -bootstrap", "NAME",
     "which other launcher starts a job on several machines: srun, hydra, prterun", set_launcher},
    {"--output", "tag", "the same as -l, in Open MPI's spelling", set_output},
    {"--stdin", "0", "accepted; input goes to rank 0", set_input},
    {"--bynode", "", "the same as --map-by node", [](Context& at) { at.line.map_by_node = true; }},
    {"--byslot", "", "the same as --map-by slot",
     [](Context& at) { at.line.placement.map_by.reset(); }},
    {"--bycore", "", "the same as --map-by core",
     [](Context& at) { at.line.placement.map_by = platform::Part::kCore; }},
    {"--bind-to-core", "", "the same as --bind-to core",
     [](Context& at) { at.line.bind_to = platform::Part::kCore; }},
    {"--mca --gmca --omca --gomca --prtemca --pmixmca", "NAME VALUE",
     "accepted; parameters of Open MPI, which change nothing here", accept},
    {"-envall -genvall -envnone -genvnone", "", "accepted; ranks see mpiexec's environment",
     accept},
    {"-envlist -genvlist", "NAMES", "accepted; ranks see mpiexec's environment", accept},
    {"--oversubscribe --allow-run-as-root", "", "accepted; it is always so", accept},
    {"-disable-auto-cleanup", "", "accepted; ranks share a process, so one that fails ends all",
     accept},
    {"-soft", "LIST", "accepted; as many ranks start as -n says", accept},
    {"-arch", "NAME", "accepted; a program runs where it is found", accept},
    {"-memory-alloc-kinds", "LIST", "accepted; the kinds are mpi and system", accept},
    {"--report-state-on-timeout --get-stack-traces", "", "accepted; --timeout does so", accept},
    {"-enable-auto-cleanup -silent-abort -enable-x -disable-x -disable-hostname-propagation "
     "-enable-hostname-propagation -hybrid-hosts --debug-daemons --debug-daemons-file "
     "--leave-session-attached --noprefix --no-app-prefix --uniform-nodes --hetero-nodes "
     "--no-aggregate-help --disable-recovery --fwd-environment --show-progress --parsable "
     "--parseable -p --display-comm --display-comm-finalize",
     "", "accepted; words of other launchers that change nothing here", accept},
    {"-topolib -demux -localhost --personality --launch-agent --max-vm-size --tmpdir --prefix "
     "--app-pmix-prefix --forward-signals --spawn-timeout --pset --stream-buffering",
     "VALUE", "accepted, with their values; the same", accept},
    {"--verbose -v", "", "print which options change nothing, and what is started",
     [](Context& at) { at.line.verbose = true; }},
    {"--show --do-not-launch", "", "print the command of the job's process; run nothing",
     [](Context& at) { at.line.show_only = true; }},
    {"--help -h", "", "print this text", [](Context& at) { at.line.answer = help(); }},
    {"--version -V -info", "", "print the version",
     [](Context& at) { at.line.answer = version(); }},
};

}  // namespace

std::span<const Option> all_options() {
  return kOptions;
}

}  // namespace heddle::launch
