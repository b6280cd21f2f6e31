"""Processes that ranks start: their input, output, environment and end, and what exec in a rank does."""
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys

from table import Bench

RANKS = 3


def of_each(*lines, ranks=RANKS):
    """These lines of each rank, in this order, between those of others, and nothing else."""
    wanted = [line.replace("N", str(rank)) for rank in range(ranks) for line in lines]
    orders = "".join(r"(?=" + "".join(rf"(?s:.*)^{re.escape(line.replace('N', str(rank)))}$" for line in lines) + ")"
                     for rank in range(ranks))
    return rf"\A{orders}(.*\n){{{len(wanted)}}}\Z"


EVERY_ACTION = ("N every: 0, status 0", "N every: SigBlk: 0000000008000000|SigIgn: 0000000180000000|first second /usr/bin|closed|group|",
             "N failed: 1 1 1, children 0")
USES = {
    "redirected": of_each("N dup2: status 0", "N dup2: raw|of N|", "N close: status 0", "N close: raw|of N|",
                          "N vfork: status 0", "N vfork: raw|of N|"),
    "continued": of_each("N continued: status 6", "N continued: printed by a child|"),
    "inherited": of_each("N inherited: system|spawned|error|popen|fork|execl a b|execle|"),
    "actions": of_each("N actions: 0, status 0", "N actions: done|spawned|", "N nothing: 2"),
    "environment": of_each("N popen: of N", "N environment: of N|of N|of N|of N|a child's|"),
    "variables": of_each("N tempnam: temporary.N/prefi 12"),
    "closed": of_each("N closed: 0 -1 1 -1 0, opened: 1 1 12, back: 1", "N closed: to the file|", "N input: 0 1, 0 0"),
    "any": of_each("N any: sum 10, left 0, then -1 1"),
    "path": of_each("N path: status 0", "N path: status 7", "N path: tool of N|"),
    "every": of_each(*EVERY_ACTION),
    "deaths": of_each(*["N death: 1"] * 4),
    "return": of_each("N return: 7"),
}


def rows(bench):
    # GCC's AddressSanitizer does not hold its allocator's locks over fork. A child that goes on in C may wait for one that
    # another worker held.
    numbers_of_workers = (1,) if bench.before_programs else (1, 2)
    for use, wanted in USES.items():
        for workers in numbers_of_workers:
            yield (f"children: {use}, {workers} workers", f"mpiexec -n {RANKS} --workers {workers} ./children {use}", 0,
                   wanted, None)
    yield ("half a line comes once", "mpiexec ./children lines", 0, r"\Akept by the child\nunflushed once\n\Z", None)
    yield ("children of rank 0 read the job's input, others nothing", "mpiexec -n 2 ./children input", 0,
           r"\A(?=(.*\n)*0 input: a\n)(?=(.*\n)*1 input: end\n)", None, {"stdin": "a\n"})
    yield ("libc's own actions and attributes do the same", "./children every", 0,
           of_each(*EVERY_ACTION, ranks=1), None)
    yield ("children of a process without mpiexec", "./children environment", 0,
           r"\A0 popen: of 0\n0 environment: (of 0\|){4}a child's\|\n\Z", None)
    yield ("exec of the only rank", "mpiexec ./children replaced", 0, r"\Abefore after the rank's\ninput\n\Z", None,
           {"stdin": "input\n"})
    yield ("with its output redirected", "mpiexec ./children replaced-", 0, r"\Abefore after \Z", None)
    yield ("which is where it should be", "cat children.replaced", 0, r"\Athe rank's\n\Z", None)
    yield ("exec by the number of the system call", "mpiexec ./children replaced#", 0, r"\Abefore after by number\ninput\n\Z", None,
           {"stdin": "input\n"})
    yield ("exec by number of one of several is refused", "mpiexec -n 2 ./children replaced#", 0,
           r"\A(before after refused: 1\n){2}\Z", r"^rank 1: to execute /bin/sh here would replace all ranks of the job")
    yield ("exec of one of several is refused", "mpiexec -n 2 ./children replaced", 0,
           r"\A(before after refused: 1\n){2}\Z",
           r"^rank 1: to execute sh here would replace all ranks of the job, which share one process; start it by fork and "
           r"exec, posix_spawn or system$")


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def left_behind(bench, how, status, stay):
    """The children of the ranks, and their children, after the end; and one that the shell had."""
    output, errors = bench.work / "left.out", bench.work / "left.err"  # no pipes, which would stay open
    job = subprocess.run(["bash", "-c", f"sleep 1000 & echo $!; exec {bench.bin}/mpiexec -n 2 ./children left {how}"],
                         cwd=bench.work, stdout=output.open("w"), stderr=errors.open("w"), timeout=60)
    shells, *processes = [int(line) for line in output.read_text().split()]
    wrong = [] if job.returncode == status else [f"exit status {job.returncode}, not {status}"]
    if len(processes) != 4:
        wrong.append(f"they were not four: {processes}")
    running = [process for process in processes if is_running(process)]
    if len(running) != (4 if stay else 0):
        wrong.append(f"{len(running)} of them run on")
    if not is_running(shells):
        wrong.append("the shell's own child was ended")
    for process in [shells, *running]:
        os.kill(process, signal.SIGKILL)
    bench.report(f"what children of ranks become: {how}", wrong, errors.read_text())


def main():
    bench = Bench(sys.argv)
    bench.compile("children")
    for row in rows(bench):
        bench.check(row)
    bench.check(("many files", f"sh -c 'ulimit -Sn 128; exec {bench.bin}/mpiexec -n {RANKS} ./children files'", 0,
                 of_each("N files: 60, limit of a child 128"), None))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    seen = f"128 {'unlimited' if hard == resource.RLIM_INFINITY else hard}|"
    for how, ranks in ((f"{bench.bin}/mpiexec -n 3 --workers 1", 3), (f"{bench.bin}/mpiexec -n 3 --workers 2", 3),
                       (f"{bench.bin}/mpiexec", 1), ("", 1)):
        bench.check((f"the limit of open files in a child: {how}", f"sh -c 'ulimit -Sn 128; exec {how} ./children limits'", 0,
                     of_each("N limits: " + 5 * seen, ranks=ranks), None))
    left_behind(bench, "end", 0, stay=True)
    for how, status in (("abort", 9), ("early", 9), ("crash", -signal.SIGSEGV), ("term", -signal.SIGTERM)):
        left_behind(bench, how, status, stay=False)
    bench.done()


main()
