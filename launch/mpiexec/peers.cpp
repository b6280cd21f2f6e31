#include "launch/mpiexec/peers.h"

namespace heddle::launch {

namespace {

struct Strange {
  const char* names;  // without dashes, separated by blanks
  const char* instead;
};

constexpr Strange kStrange[] = {
    {"app file", "-configfile FILE names the programs, one a line"},
    {"am amca tune",
     "there are no files of parameters; settings are variables (--help lists them)"},
    {"aps mps profile", "--stats counts and --trace records what ranks do"},
    {"continuous enable-recovery max-restarts with-ft",
     "a rank that fails ends the job; there is no fault tolerance"},
    {"cpu-list cpu-set use-hwthread-cpus cpu-bind membind",
     "start mpiexec by taskset or numactl; --workers says how many cores are used, and --bind-to "
     "and --map-by where"},
    {"cpus-per-proc cpus-per-rank",
     "threads of ranks run on all workers; OMP_NUM_THREADS says how many a team has"},
    {"debug gdb gdb-args tv gtool gtoolfile xterm stop-on-exec stop-in-init stop-in-app "
     "output-proctable",
     "attach gdb to the job, or start gdb --args mpiexec (docs/guide/debugging.md)"},
    {"display-allocation display-devel-allocation display-topo",
     "--report-bindings prints where ranks and workers are, and lstopo draws the machine"},
    {"dvm report-pid report-uri pmi-port nameserver",
     "there is no server that jobs share, and none to report"},
    {"errfile errfile-pattern outfile outfile-pattern output-directory output-filename "
     "merge-stderr-to-stdout xml",
     "redirect the output of mpiexec; -l puts [RANK] before each line"},
    {"g gpus-per-proc gpu-subdevs-per-proc gpu-support", "there is no support for GPUs"},
    {"hosts-group", "-hosts lists the machines one by one"},
    {"iface", "set FI_TCP_IFACE=NAME, which libfabric reads"},
    {"launcher-exec bootstrap-exec", "--launcher names one, and PATH says where its program is"},
    {"nolocal skip-launch-node", "-host or -hostfile name the machines to run on"},
    {"nooversubscribe", "ranks may outnumber cores here; leave it out"},
    {"npersocket ppr", "-N is ranks on each machine, and --map-by socket deals them out"},
    {"order-nodes rankmap rankfile",
     "--map-by and --rank-by say where ranks are on a machine, and the order of -host the "
     "machines"},
    {"output-from", "-l puts [RANK] before each line, so grep finds those of one rank"},
    {"preload-binary preload-files s",
     "programs and files must be on each machine, and input goes to rank 0"},
    {"prepend-pattern prepend-timestamp timestamp-output", "-l puts [RANK] before each line"},
    {"print-all-exitcodes report-child-jobs-separately",
     "the exit status is that of the first rank that failed"},
    {"prot", "--verbose prints how the job is started; ranks of one machine talk through memory"},
    {"rmk", "--launcher srun starts a job in Slurm's allocation"},
    {"rr", "--map-by core deals ranks out to the cores"},
    {"rtos", "--timeout, --stats and --report-bindings are options of their own"},
    {"usize", "there are no dynamic processes, so the universe is the job"},
};

bool lists(std::string_view names, std::string_view name) noexcept {
  while (!names.empty()) {
    const std::size_t end = names.find(' ');
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(end == names.npos ? names.size() : end + 1);
  }
  return false;
}

}  // namespace

const char* in_place_of(std::string_view option) noexcept {
  for (const Strange& each : kStrange) {
    if (lists(each.names, option)) return each.instead;
  }
  return nullptr;
}

}  // namespace heddle::launch
