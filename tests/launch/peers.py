"""Options of other launchers: each does here what it does there, or changes nothing, or is refused with a sentence that says what
to do instead. None is taken for another one.

The names are all of the option tables of MPICH's hydra (5.0, src/pm/hydra/mpiexec/options.c), of Open MPI's mpirun (PRRTE,
src/mca/schizo/ompi/schizo_ompi.c), of Intel's mpiexec.hydra (2021.19, --help) and of MPI 5.0, 11.5.
"""
import re
import subprocess
import sys

import wheels
from table import Bench

SHOW = "mpiexec --ranks-as threads --show"

# Option and values; what must be in the command of the job, as --show prints it.
SAME = [
    *[(f"{name} 3", "^ranks=3$") for name in ("-n", "--n", "-np", "--np", "-c", "-N", "--npernode", "-npernode", "-n=3 -ppn", "-n 3 -perhost",
                                               "-n 3 -grr")],
    ("-n3", "^ranks=3$"), ("-np=3", "^ranks=3$"), ("-N3", "^ranks=3$"), ("-pernode", "^ranks=1$"),
    ("--map-by ppr:3:node", "^ranks=3$"), ("-N 2 -n 3", "^ranks=3$"),
    ("-map-by socket", "^map=socket$"), ("--map-by core:OVERSUBSCRIBE", "^map=core$"), ("--map-by :OVERSUBSCRIBE", "^ranks=1$"),
    ("--bynode", "^ranks=1$"), ("--byslot", "^ranks=1$"), ("--bycore", "^map=core$"), ("--rank-by slot", "^ranks=1$"),
    *[(f"{name} none", "^bind=none$") for name in ("-bind-to", "--bind-to", "-binding")], ("--bind-to-core", "^bind=core$"),
    *[(name, "^report=1$") for name in ("-report-bindings", "--display-map", "--display-devel-map", "-print-rank-map", "--display map")],
    *[(name, "^labels=1$") for name in ("-l", "-prepend-rank", "--tag-output", "--output tag")],
    *[(f"{name} localhost", "^ranks=1$") for name in ("-host", "--host", "-hosts", "-hostlist", "-H", "-machine", "-machines", "-machinelist")],
    *[(f"{name} one-host", "^ranks=1$") for name in ("-f", "-hostfile", "-machinefile", "--default-hostfile")],
    *[(f"{name} /usr", "^dir=/usr$") for name in ("-wdir", "--wdir", "-wd")], ("-path /bin", "^path=/bin/true$"),
    ("-env A b", "^env=A=b$"), ("-env A=b", "^env=A=b$"), ("-genv A b", "^env=A=b$"), ("-genv A=b=c", "^env=A=b=c$"), ("-x A=b", "^env=A=b$"),
    ("-initial-errhandler mpi_errors_abort", "mpi_errors_abort"), ("--do-not-launch", "^ranks=1$"), ("--stdin 0", "^ranks=1$"),
    ("--timeout 9", "^timeout=9$"), ("-v", "^ranks=1$"), ("--verbose", "^ranks=1$"),
]
# These answer, and start nothing; or they need more than a line here, and have tests of their own.
ELSEWHERE = "help h version V info configfile launcher bootstrap"

ACCEPTED = [
    *[f"{name} btl self" for name in ("--mca", "--gmca", "--omca", "--gomca", "--prtemca", "--pmixmca")],
    "-envall", "-genvall", "-envnone", "-genvnone", "-envlist HOME,PATH", "-genvlist HOME", "--oversubscribe", "--allow-run-as-root",
    "-disable-auto-cleanup", "-enable-auto-cleanup", "-soft 2:8:2", "-arch x86_64", "-memory-alloc-kinds system",
    "--report-state-on-timeout", "--get-stack-traces", "-silent-abort", "-enable-x", "-disable-x", "-disable-hostname-propagation",
    "-enable-hostname-propagation", "-hybrid-hosts", "-topolib hwloc", "-demux poll", "-localhost name", "--personality ompi",
    "--launch-agent prted", "--max-vm-size 4", "--debug-daemons", "--debug-daemons-file", "--leave-session-attached", "--tmpdir /tmp",
    "--prefix /opt", "--noprefix", "--app-pmix-prefix /opt", "--no-app-prefix", "--forward-signals all", "--uniform-nodes", "--hetero-nodes",
    "--spawn-timeout 3", "--no-aggregate-help", "--pset name", "--fwd-environment", "--disable-recovery", "--show-progress",
    "--stream-buffering 1", "--parsable", "--parseable", "-p", "--display-comm", "--display-comm-finalize",
]
REFUSED = """app file am amca tune aps mps profile continuous enable-recovery max-restarts with-ft cpu-list cpu-set use-hwthread-cpus cpu-bind
    membind cpus-per-proc cpus-per-rank debug gdb gdb-args tv gtool gtoolfile xterm stop-on-exec stop-in-init stop-in-app output-proctable
    display-allocation display-devel-allocation display-topo dvm report-pid report-uri pmi-port nameserver errfile errfile-pattern outfile
    outfile-pattern output-directory output-filename merge-stderr-to-stdout xml g gpus-per-proc gpu-subdevs-per-proc gpu-support hosts-group
    iface launcher-exec bootstrap-exec nolocal skip-launch-node nooversubscribe npersocket ppr order-nodes rankmap rankfile output-from
    preload-binary preload-files s prepend-pattern prepend-timestamp timestamp-output print-all-exitcodes report-child-jobs-separately prot
    rmk rr rtos usize""".split()

HYDRA = """help h genv genvlist genvnone genvall f hostfile machinefile machine machines machinelist host hosts hostlist rankmap ppn profile
    output-from prepend-rank l prepend-pattern outfile-pattern errfile-pattern outfile errfile wdir configfile env envlist envnone envall n np
    memory-alloc-kinds launcher launcher-exec bootstrap bootstrap-exec enable-x disable-x rmk topolib binding bind-to map-by membind
    report-bindings demux debug disable-auto-cleanup disable-hostname-propagation enable-auto-cleanup enable-hostname-propagation g
    gpus-per-proc gpu-subdevs-per-proc hybrid-hosts iface info localhost nameserver order-nodes pmi-port print-all-exitcodes skip-launch-node
    usize v verbose version"""  # and pmi_args, which its processes give it
OPEN_MPI = """help h version V verbose v parseable p parsable report-pid report-uri personality dvm prtemca pmixmca omca gomca tune launch-agent
    max-vm-size debug-daemons debug-daemons-file leave-session-attached tmpdir prefix noprefix forward-signals allow-run-as-root uniform-nodes
    xterm stop-on-exec stop-in-init stop-in-app timeout report-state-on-timeout get-stack-traces spawn-timeout no-aggregate-help np c n N app
    output stdin preload-files preload-binary s x wdir wd path pset hostfile machinefile default-hostfile host H fwd-environment
    memory-alloc-kinds gpu-support app-pmix-prefix no-app-prefix map-by rank-by bind-to display do-not-launch rtos enable-recovery max-restarts
    disable-recovery continuous with-ft initial-errhandler display-comm display-comm-finalize soft arch file mca gmca show-progress
    report-child-jobs-separately xml tag-output timestamp-output output-directory output-filename merge-stderr-to-stdout display-devel-map
    display-devel-allocation display-topo report-bindings display-map display-allocation nolocal oversubscribe nooversubscribe
    use-hwthread-cpus cpu-set cpu-list bind-to-core bynode bycore byslot cpus-per-proc cpus-per-rank npernode pernode npersocket ppr amca am
    rankfile output-proctable debug stream-buffering hetero-nodes"""
INTEL = """genv genvlist genvnone genvall f hosts n np launcher launcher-exec enable-x disable-x rmk verbose info print-all-exitcodes ppn
    prepend-rank prepend-pattern outfile-pattern errfile-pattern nameserver disable-auto-cleanup disable-hostname-propagation localhost usize aps
    mps gdb gdb-args gtool gtoolfile hosts-group tv iface s silent-abort nolocal tune print-rank-map prepend-timestamp prot cpu-bind perhost grr
    rr"""
STANDARD = "n soft host arch wdir path file initial-errhandler configfile memory-alloc-kinds"

# Values that other launchers know; the sentence names ours.
VALUES = [
    ("--map-by ppr:2:socket", "slot, node, ppr:N:node, core"), ("--map-by ppr:two:node", "whole number"), ("--map-by hwthread", "must be one of"),
    ("--map-by core:PE=2", "must be one of"), ("--bind-to hwthread", "must be one of"), ("--rank-by node", "slot or fill"),
    ("--output file=x", "must be tag"), ("--stdin all", "input goes to rank 0"), ("--display topo=x", "map or bind"),
    ("--launcher ssh", "srun, hydra, prterun"), ("--timeout soon", "whole number"), ("--timeout 0", "whole number"),
]
# What getopt, or a table of beginnings, would take for another option.
MISREAD = ["-npernod 2", "-nfoo", "-N2x", "--map core", "--bind core", "--time 3", "-verb", "-hostx a", "-lx", "--rank 3", "-x4 true"]


def names_of(rows):
    return {re.sub(r"^-+([a-zA-Z]).*" if re.match(r"-[a-zA-Z]\d", word) else r"^-+([^=]+).*", r"\1", word)
            for row in rows for word in (row[0] if isinstance(row, tuple) else row).split() if re.match(r"-+[a-zA-Z]", word)}


def check_lists(bench):
    ours = names_of(SAME) | names_of(ACCEPTED) | set(REFUSED) | set(ELSEWHERE.split())
    for whose, names in (("hydra", HYDRA), ("Open MPI", OPEN_MPI), ("Intel MPI", INTEL), ("MPI 5.0", STANDARD)):
        missing = sorted(set(names.split()) - ours)
        bench.report(f"each option of {whose} is in a list", [f"{name} is in none" for name in missing])
    twice = names_of(ACCEPTED) & set(REFUSED) | (names_of(SAME) & set(REFUSED))
    bench.report("none is in two", [f"{name} is" for name in sorted(twice)])


def check_installed_hydra(bench):
    """What the hydra that can be fetched lists in its help is in the list, so that a newer one shows what is missing."""
    try:
        hydra = wheels.fetch("mpich") / "mpiexec"
    except SystemExit:
        return
    told = subprocess.run([hydra, "-help"], text=True, capture_output=True, check=False).stdout
    names = {name for line in re.findall(r"^ +(-[a-z][-a-z/]*)", told, re.M) for name in line.replace("/", " ").replace(" -", " ").split()}
    missing = sorted({name.lstrip("-") for name in names} - set(HYDRA.split()))
    bench.report("so is each that hydra's help has", [f"{name} is not" for name in missing])


def check_programs_of_others(bench):
    """A program that needs another MPI's library would run as jobs of one rank."""
    def link(output, *words):
        subprocess.run(["cc", "-o", output, *words], cwd=bench.work, check=True)
    (bench.work / "empty.c").write_text("int MPI_Init(int* c, char*** v) { return 0; }\n")
    (bench.work / "uses.c").write_text("int MPI_Init(int*, char***); int use(void) { return MPI_Init(0, 0); }\n")
    (bench.work / "main.c").write_text("int use(void); int main(void) { return use(); }\n")
    rpath = f"-Wl,-rpath,{bench.work}"
    for name in ("libmpi.so.12", "libmpi.so.40", "libmpich.so.10"):
        link(name, "-shared", "-fPIC", f"-Wl,-soname,{name}", "empty.c")
        link("libuses.so", "-shared", "-fPIC", "-Wl,--no-as-needed", "uses.c", name, rpath)
        link("direct", "main.c", "uses.c", name, rpath)
        link("through_a_library", "main.c", "libuses.so", rpath)
        for program in ("direct", "through_a_library"):
            for options in ("", "--ranks-as processes"):
                bench.check((f"{name}, {program} {options}", f"mpiexec -n 2 {options} ./{program}", 2, None,
                             rf"\Ampiexec: './{program}' was linked with another MPI \(it needs {name}\)[^\n]*\n\Z"))
    link("libmpi_abi.so.1", "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.1", "empty.c")
    link("standard", "main.c", "uses.c", "libmpi_abi.so.1", rpath)
    bench.check(("the standard's library is ours", "mpiexec --show -n 2 ./standard", 0, "^processes$", "ranks are processes"))


def main():
    bench = Bench(sys.argv)
    (bench.work / "one-host").write_text("localhost slots=4\n")
    (bench.work / "launchers").mkdir(exist_ok=True)
    (bench.work / "launchers/mpiexec.hydra").write_text("#!/bin/true\n")
    (bench.work / "launchers/mpiexec.hydra").chmod(0o755)
    check_lists(bench)
    check_installed_hydra(bench)
    for words, wanted in SAME:
        stderr = "mpiexec: starts .*heddle-host" if words in ("-v", "--verbose") else None
        bench.check((f"the same: {words}", f"{SHOW} {words} true", 0, wanted, stderr))
    for words in ACCEPTED:
        bench.check((f"no effect: {words}", f"{SHOW} {words} -n 2 true", 0, "^ranks=2\n(.*\n)*argc=1\ntrue\n", None))
        bench.check((f"and it is said: {words}", f"{SHOW} -v {words} -n 2 true", 0, "^ranks=2$",
                     f"^mpiexec: argument {words.split()[0]} changes nothing here$"))
    for name in REFUSED:
        for dashes in ("-", "--"):
            bench.check((f"refused: {dashes}{name}", f"{SHOW} {dashes}{name} 2 true", 2, None,
                         rf"\Ampiexec: option {dashes}{name} of other launchers is not there: [^\n]{{20,}}\n\Z"))
    for words, wanted in VALUES:
        bench.check((f"refused value: {words}", f"{SHOW} {words} true", 2, None, rf"\Ampiexec: argument [^\n]*{wanted}[^\n]*\n\Z"))
    for words in MISREAD:
        bench.check((f"not another option: {words}", f"{SHOW} {words} true", 2, None, rf"\Ampiexec: there is no option {words.split()[0]}[;.]"))
    bench.check(("a value where none is taken", f"{SHOW} -l=2 true", 2, None, "argument -l takes no value"))
    check_programs_of_others(bench)
    bench.check(("mpirun is mpiexec", f"{bench.bin}/mpirun --ranks-as threads --show -np 3 true", 0, "^ranks=3$", None))
    bench.check(("ranks for each machine", f"{SHOW} -npernode 4 -host a,b /bin/true", 0, "^ranks=8$", "hydra",
                 {"env": {"PATH": "launchers"}}))
    bench.done()


main()
