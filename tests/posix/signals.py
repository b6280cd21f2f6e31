"""Signals of a rank are its own: each rank prints the lines that the program prints in a process of its
own, which is the oracle.

    signals.py BIN WORK
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

USES = ["raise", "sender", "faults", "repairs", "stack", "masks", "actions", "alarm", "timer", "wait", "threads",
        "child", "outside", "nested", "jumps", "locks"]
CROSSED_USES = ["mixed"]
TIMER_USES = ["profile", "off", "in-mpi", "created", "processor-time", "child"]
WAITING_USES = ["semaphores", "threads", "jumps"]
MASKED_USES = ["let-in", "left"]
AWAITED_USES = ["main", "thread", "several", "pending", "broken", "ended"]
PLACES = [(1, 1), (3, 1), (3, 2)]


def check(bench, program, use, oracle, ranks, options):
    result = bench.run(f"mpiexec -n {ranks} {options} ./{program} {use}")
    wrong = []
    if result.returncode != 0:
        wrong.append(f"exit status {result.returncode}")
    if sorted(result.stdout.splitlines()) != sorted(oracle.splitlines() * ranks):
        wrong.append(f"not what a process prints:\n{oracle}")
    bench.report(f"{use}, {ranks} ranks, {options}", wrong, result.stdout + result.stderr)


# What no process can be asked for: several ranks, and the end of the job.
ROWS = [
    *((f"a signal that another rank handles ends no call, {workers} workers",
       f"mpiexec -n 2 --workers {workers} ./crossed_signals bystander", 0, r"\A(polled 1 0\n|handled 50 0\n){2}\Z", None)
      for workers in (1, 2)),
    *((f"a signal that another rank handles does not prolong a call, {workers} workers",
       f"mpiexec -n 2 --workers {workers} ./crossed_signals repeated", 0,
       r"\A(poll 0, in time 1\nepoll_wait 0, in time 1\nclock_nanosleep 0, in time 1\nsemtimedop 0, in time 1\n){2}\Z",
       None) for workers in (1, 2)),
    *((f"a handler runs while its rank waits in MPI, {options}", f"mpiexec {options} ./waiting_signals mpi", 0,
       r"\A(calls 8, alarms [08], sum 1, byte p\n)*\Z", None)
      for options in ("-n 2 --workers 1", "-n 4 --workers 1", "-n 6 --workers 2", "-n 4 --posix-threads kernel")),
    ("of MPI a handler inside MPI may call MPI_Abort", "mpiexec -n 2 ./waiting_signals abort", 7, None,
     r"^rank 0: MPI_Abort\(MPI_COMM_WORLD, 7\)"),
    *((f"and {call} is refused", f"mpiexec -n 2 ./waiting_signals {use}", 16, None,
       f"^rank 0: {call}: called in a signal handler that has interrupted MPI; only MPI_Abort")
      for use, call in (("call", "MPI_Send"), ("query", "MPI_Comm_test_inter"))),
    ("a handler that leaves MPI by longjmp ends the job", "mpiexec -n 2 ./waiting_signals jump", 1, None,
     "^rank 0: a signal handler has left MPI_Recv by longjmp"),
    ("a handler that leaves MPI by exit ends the job", "mpiexec -n 2 ./waiting_signals exit", 5, None,
     "^rank 0: the program ended with status 5 in a signal handler that has interrupted MPI"),
    ("a handler that leaves MPI by _exit ends the job", "mpiexec -n 2 ./waiting_signals leave", 1, None,
     "^rank 0: the program ended with status 0 in a signal handler that has interrupted MPI"),
    ("an alarm that its rank does not handle ends the job", "mpiexec -n 2 ./signals unhandled", 142,
     None, r"^mpiexec: SIGALRM \(Alarm clock\) came to rank [01] without a handler for it"),
    ("a signal from outside that one rank waits for is not another's",
     "mpiexec -n 2 ./awaited_signals one", 0, r"\Atook 1, sent 1\n\Z", None),
    ("a pending signal that its rank does not handle ends the job", "mpiexec -n 1 ./awaited_signals unblocked", 138,
     r"\Apending\n\Z", r"^mpiexec: SIGUSR1 \(User defined signal 1\) came to rank 0 without a handler for it"),
    ("a signal that no rank blocks any more ends the job", "mpiexec -n 2 ./awaited_signals left", 138, None,
     r"^mpiexec: SIGUSR1 \(User defined signal 1\) came without a handler for it"),
    ("a fault that its own rank does not handle ends the job", "mpiexec -n 2 ./signals other", 139, None,
     "^rank 1 crashed: segmentation fault .* at address 0x8"),
    ("a fault that is blocked ends the job", "mpiexec -n 1 ./signals blocked", 139, None,
     "^rank 0 crashed: segmentation fault .* at address 0x8"),
    ("a fault in the handler ends the job", "mpiexec -n 1 ./signals twice", 139, None,
     "^rank 0 crashed: segmentation fault .* at address 0x8"),
    ("an overflow without a stack of its own ends the job", "mpiexec -n 1 ./signals overflow", 139, None,
     "^rank 0 crashed: .* its stack of .* overflowed"),
]


def main():
    bench = Bench(sys.argv)
    for program, uses in (("signals", USES), ("crossed_signals", CROSSED_USES), ("timers", TIMER_USES),
                          ("waiting_signals", WAITING_USES), ("masked_waits", MASKED_USES),
                          ("awaited_signals", AWAITED_USES)):
        source = HERE / "programs" / f"{program}.c"
        subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-o", bench.work / program, source], check=True)
        subprocess.run(["cc", "-DPLAIN", "-O1", "-g", "-pthread", "-o", bench.work / f"{program}_plain", source],
                       check=True)
        for use in uses:
            alone = bench.run(f"./{program}_plain {use}")
            if alone.returncode != 0 or alone.stdout == "":
                bench.report(f"{use} in a process", [f"exit status {alone.returncode}"], alone.stderr)
            for ranks, workers in PLACES:
                check(bench, program, use, alone.stdout, ranks, f"--workers {workers}")
            if program == "awaited_signals":
                check(bench, program, use, alone.stdout, 3, "--posix-threads kernel")
    for row in ROWS:
        bench.check(row)
    bench.check(("children ignore what the process was told to ignore",
                 f"sh -c 'trap \"\" USR2; {bench.bin}/mpiexec -n 2 ./awaited_signals ignored'", 0, r"\A(lives\n){2}\Z", None))
    bench.done()


main()
