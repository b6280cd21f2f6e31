"""A job whose ranks all wait for each other ends with a table; one that only looks like it goes on.

A row that must not be reported ends by itself: by what comes from outside. What must be reported would wait forever, so a row
that fails is one that reaches its time limit.
"""
import subprocess
import sys
import time

from table import Bench

REPORT = r"all ranks of the job wait for each other \(deadlock; communicator 1 is MPI_COMM_WORLD\):\n +rank 0 in MPI_"
DEADLOCKS = ["receives", "any", "tag", "barrier", "sends", "large", "wait", "waitany", "probe", "finalize"]
OTHERS = [("sleep", "done"), ("poll", "done"), ("thread", "done"), ("ring", "done")]


def check_input(bench, line):
    """What rank 0 reads comes late: the others wait meanwhile, and no rank runs."""
    job = subprocess.Popen(bench.command(line), cwd=bench.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)  # most likely all wait by now; if not, the test passes all the same
    output, errors = job.communicate("x", timeout=60)
    right = job.returncode == 0 and "done" in output and not errors
    bench.report(f"no deadlock: $ {line}", [] if right else [f"exit status {job.returncode}"], output + errors)


def check_switched_off(bench):
    job = subprocess.Popen(bench.command("mpiexec --no-deadlock-check -n 2 ./deadlocks receives"), cwd=bench.work,
                           stdin=subprocess.DEVNULL)
    try:
        job.wait(timeout=1)
        wrong = [f"it ended with {job.returncode}"]
    except subprocess.TimeoutExpired:
        wrong = []
    job.kill()
    job.wait()
    bench.report("--no-deadlock-check leaves a job that waits alone", wrong)


def main():
    bench = Bench(sys.argv)
    bench.compile("deadlocks")
    for ranks in ("-n 2", "-n 17", "--workers 1 -n 3", "--posix-threads kernel -n 2"):
        for how in DEADLOCKS:
            bench.check((f"deadlock: {how} {ranks}", f"mpiexec {ranks} ./deadlocks {how}", 1, None, REPORT,
                         {"timeout": 60}))
        for how, says in OTHERS:
            bench.check((f"no deadlock: {how} {ranks}", f"mpiexec {ranks} ./deadlocks {how}", 0, says, None,
                         {"timeout": 60}))
        # Its handler ends it inside MPI.
        bench.check((f"no deadlock: alarm {ranks}", f"mpiexec {ranks} ./deadlocks alarm", 1, "alarm",
                     "in a signal handler that has interrupted MPI", {"timeout": 60}))
        bench.check((f"no deadlock: raw {ranks}", f"mpiexec {ranks} ./deadlocks raw", 7, "alarm", None, {"timeout": 60}))
        check_input(bench, f"mpiexec {ranks} ./deadlocks input")
    check_switched_off(bench)
    bench.done()


main()
