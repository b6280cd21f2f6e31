"""A job whose ranks all wait for each other ends with a table; one that only looks like it goes on.

A row that must not be reported ends by itself: by what comes from outside. What must be reported would wait forever, so a row
that fails is one that reaches its time limit.
"""
import functools
import os
import re
import subprocess
import sys
import time

from table import Bench

REPORT_OF_THREADS = r"all ranks of the job wait for each other \(deadlock; communicator 1 is MPI_COMM_WORLD\):\n +rank 0 in "
REPORT = REPORT_OF_THREADS + "MPI_"
DEADLOCKS = ["receives", "any", "sends", "large", "wait", "waitany", "probe", "handler"]
IN_COLLECTIVES = ["tag", "barrier", "bcast", "root", "finalize"]  # where some of the ranks wait
OF_THREADS = ["locks", "condition", "join", "exit", "threads", "semaphore", "table", "once", "ignored"]
THAT_WAIT_IN_COLLECTIVES = ["lock", "barrier", "ibarrier", "iallreduce", "started"]
OF_HELPERS = ["partitions"]
NOT_AS_PROCESSES = ["exit", "lock"]  # decision 132
NONE_OF_THREADS = ["sleeper", "timed", "pipe", "poll", "kernel", "handler", "outside", "shared", "holder", "child", "late", "until"]
# standard_waits.cpp; each has a line of the source in the report, and can be ended by another thread.
OF_THE_STANDARD = ["atomic", "large", "latch", "barrier", "semaphore", "future", "guard", "shared", "omp_lock", "critical", "object"]
WITHOUT_END = ["object"]
# cloned.c: what rank 0 makes, and what that does later.
CLONED = ["thread", "process"]
THAT_ACT = ["post", "unlock", "signal", "meet", "futex", "private", "exit"]
MODES = ["-n 2", "--processes 2 -n 4", "--ranks-as processes -n 3"]
OTHERS = [("sleep", "done"), ("poll", "done"), ("thread", "done"), ("ring", "done"), ("compute", "done"), ("helped", "done"),
          ("file_lock", "done")]


# Hosts that talk by the network alone: each counts what it has given to it and handled.
BY_NETWORK = {"HEDDLE_NETWORK": "everywhere", "FI_TCP_IFACE": "lo"}


DISAGREE = "do not all call the same collective|that others of its host depend on has failed"


def check_disagreement(bench, ranks, env=None):
    """All wait in collectives, and each wait is in vain: they end by what other hosts answer, and that is the error."""
    line = f"mpiexec {ranks} ./deadlocks differ"
    result = bench.run(line, timeout=60, env=env)
    wrong = [] if re.search(DISAGREE, result.stderr) and "deadlock" not in result.stderr else ["another end"]
    wrong += [] if result.returncode > 0 else [f"exit status {result.returncode}"]
    bench.report(f"no deadlock: differ {ranks} {env}", wrong, f"$ {line}\n{result.stderr}")


def check_input(bench, line, env=None):
    """What rank 0 reads comes late: the others wait meanwhile, and no rank runs."""
    job = subprocess.Popen(bench.command(line), cwd=bench.work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
    time.sleep(0.5)  # most likely all wait by now; if not, the test passes all the same
    output, errors = job.communicate("x", timeout=60)
    right = job.returncode == 0 and "done" in output and not errors
    bench.report(f"no deadlock: $ {line}", [] if right else [f"exit status {job.returncode}"], output + errors)


def check_threads(bench, ranks, env=None):
    """Threads that are ults, and helpers of started collectives."""
    options = {"timeout": 60, "env": env}
    for how in OF_THREADS + THAT_WAIT_IN_COLLECTIVES + OF_HELPERS:
        bench.check((f"deadlock: {how} {ranks} {env}", f"mpiexec {ranks} ./thread_deadlocks {how}", 1, None,
                     REPORT_OF_THREADS, options))
    for how in NONE_OF_THREADS:
        bench.check((f"no deadlock: {how} {ranks} {env}", f"mpiexec {ranks} ./thread_deadlocks {how}", 0, "done", None, options))


def check_queues(bench):
    """A rank's receives that are posted and messages that no receive has taken, wherever the others are."""
    world = r" \(communicator 1\)"
    for ranks in ("-n 2", "--processes 2 -n 2", "--ranks-as processes -n 2"):
        bench.check((f"deadlock: queues {ranks}", f"mpiexec {ranks} ./deadlocks tag", 1, None,
                     r"  rank 0 in MPI_Recv .*\n    posted receives \(1\): from rank 1 with tag 0" + world +
                     r"\n  rank 1 in MPI_Recv .*\n    posted receives \(1\): from rank 0 with tag 2" + world +
                     r"\n    unexpected messages \(1\): 4 bytes from rank 0 with tag 1" + world, {"timeout": 60}))
        bench.check((f"deadlock: queues of wildcards {ranks}", f"mpiexec {ranks} ./deadlocks any", 1, None,
                     r"posted receives \(1\): from rank MPI_ANY_SOURCE with tag MPI_ANY_TAG" + world,
                     {"timeout": 60}))


def check_collectives(bench):
    """The collective call that each rank is in, and for which rank elsewhere it waits."""
    for ranks, env in (("--processes 2 -n 4", None), ("--processes 2 -n 4", BY_NETWORK)):
        bench.check((f"deadlock: lines of collectives {ranks} {env}", f"mpiexec {ranks} ./deadlocks root", 1, None,
                     r"  rank 0 in MPI_Bcast waits for rank 3 to come to it, called by \w+ \(deadlocks\.c:\d+\)\n"
                     r"  rank 1 in MPI_Bcast waits for another rank in it \(communicator 1\), .*\n"
                     r"  rank 2 in MPI_Bcast waits for another rank in it \(communicator 1\), .*\n"
                     r"  rank 3 in MPI_Recv waits for a message from rank 0 with tag 0", {"timeout": 60, "env": env}))


def check_lines(bench):
    """Each strand that waits has its line, under its rank."""
    for how, line in (("sends", r"  rank 1 in MPI_Ssend waits for rank 0 to receive its message with tag 0 \(communicator 1\), "),
                      ("barrier", r"  rank 1 in MPI_Barrier waits for ranks that have not called it \(communicator 1\), ")):
        bench.check((f"deadlock: line of {how}", f"mpiexec -n 2 ./deadlocks {how}", 1, None, line, {"timeout": 60}))
    bench.check(("deadlock: the report ends no wait", "mpiexec -n 4 ./thread_deadlocks once-waited", 1, r"\A\Z",
                 r"(  rank \d in pthread_cond_wait waits for .*\n){4}", {"timeout": 60}))
    bench.check(("deadlock: the rank that is unlike the others is among those that are shown", "mpiexec -n 200 ./deadlocks root", 1, None,
                 r"  rank 199 in MPI_Recv waits for a message from rank 0 .*\n(.*\n)*  and 136 more ranks", {"timeout": 60}))
    for how, lines in (
            ("locks", r"  rank 0 in pthread_mutex_lock waits for the lock at 0x[0-9a-f]+, .*\n"
                      r"    thread 1 in pthread_mutex_lock waits for the lock at 0x[0-9a-f]+, .*\n  rank 1 in "),
            ("join", r"  rank 0 in pthread_join waits for the end of a thread, .*\n"
                     r"    thread 1 in MPI_Recv waits for a message from rank 1 with tag 1"),
            ("started", r"  rank 1 in MPI_Barrier waits for collectives that it has started, .*\n"
                        r"    a started MPI_Ibcast waits for ")):
        bench.check((f"deadlock: lines of {how}", f"mpiexec -n 2 ./thread_deadlocks {how}", 1, None, lines,
                     {"timeout": 60}))


def check_gone(bench):
    """A rank waits in a collective for others that have ended, and cannot say that they do not come."""
    for ranks in ("-n 2", "-n 5", "--processes 2 -n 2", "--processes 2 -n 4", "--ranks-as processes -n 2", "--ranks-as processes -n 3"):
        bench.check((f"deadlock: gone {ranks}", f"mpiexec {ranks} ./deadlocks gone", 1, None,
                     REPORT + r"Finalize waits for (.*\n)+.* has ended", {"timeout": 60}))


def check_places(bench):
    """Each line names the function and the line of the source that has the call."""
    for program, how, calls in (("deadlocks", "receives", ["MPI_Recv", "MPI_Recv"]),
                                ("deadlocks", "probe", ["MPI_Probe", "MPI_Probe"]),
                                ("deadlocks", "barrier", ["MPI_Recv", "MPI_Barrier"]),
                                ("thread_deadlocks", "join", ["pthread_join", "MPI_Recv"] * 2),
                                ("thread_deadlocks", "condition", ["MPI_Recv", "pthread_cond_wait"] * 2),
                                ("thread_deadlocks", "semaphore", ["pthread_join", "sem_wait"] * 2)):
        source = (bench.programs / f"{program}.c").read_text().splitlines()
        line = f"mpiexec -n 2 ./{program} {how}"
        result = bench.run(line, timeout=60)
        told = re.findall(r" in (\w+) waits for .*, called by (\w+) \(" + program + r"\.c:(\d+)\)", result.stderr)
        wrong = [] if [call for call, _, _ in told] == calls else [f"places of {told}, not of {calls}"]
        wrong += [f"line {number} has no {call}" for call, _, number in told if f"{call}(" not in source[int(number) - 1]]
        bench.report(f"deadlock: places of {how}", wrong, f"$ {line}\n{result.stderr}")


def check_standard(bench, ranks):
    """Waits of C++ and OpenMP, for which libraries make futex calls."""
    source = (bench.programs / "standard_waits.cpp").read_text().splitlines()
    # As processes libomp's locks look for ever unless the user says so.
    env = {"KMP_LOCK_KIND": "futex"} if "processes " in ranks else {}
    for how in OF_THE_STANDARD:
        line = f"mpiexec {ranks} ./standard_waits {how}"
        result = bench.run(line, timeout=60, env=env)
        wrong = [] if result.returncode == 1 else [f"exit status {result.returncode}"]
        wrong += [] if re.search(REPORT_OF_THREADS, result.stderr) else ["no report"]
        # The places in the program, never those in headers of C++.
        for number in re.findall(r"called by .*\(standard_waits\.cpp:(\d+)\)", result.stderr):
            wrong += [] if source[int(number) - 1].strip() else [f"line {number} is empty"]
        wrong += [f"called by {place}" for place in re.findall(r"called by .* \((.*)\)", result.stderr)
                  if not place.startswith("standard_waits.cpp:")]
        bench.report(f"deadlock: {how} of the standard {ranks}", wrong, f"$ {line}\n{result.stderr}")
        if how not in WITHOUT_END:
            bench.check((f"no deadlock: {how} of the standard {ranks}", f"{line} late", 0, "done", None,
                         {"timeout": 60, "env": env}))


def check_cloned(bench, ranks):
    """Tasks that share the memory of a rank and are no threads of glibc's."""
    for kind in CLONED:
        for what in THAT_ACT:
            bench.check((f"no deadlock: cloned {kind} {what} {ranks}", f"mpiexec {ranks} ./cloned {kind} {what}", 0, "done", r"\A\Z",
                         {"timeout": 60}))
        bench.check((f"deadlock: cloned {kind} that has ended {ranks}", f"mpiexec {ranks} ./cloned {kind} nothing", 1, None,
                     REPORT_OF_THREADS, {"timeout": 60}))


def check_names(bench, ranks):
    """Communicators are told by what the program knows of them."""
    for how, name in (("named", r'communicator "halo"'),
                      ("unnamed", r"communicator 0x[0-9a-f]+ of 2 ranks, made by MPI_Comm_split"), ("self", "MPI_COMM_SELF")):
        bench.check((f"deadlock: communicator {how} {ranks}", f"mpiexec {ranks} ./named {how}", 1, None,
                     r"waits for a message from rank 0 with tag 7 \(" + name + r"\), .*\n    posted receives \(1\): from rank 0 with tag 7 \(" +
                     name + r"\)", {"timeout": 60}))
    bench.check((f"deadlock: communicator of a collective {ranks}", f"mpiexec {ranks} ./named barrier", 1, None,
                 r'in MPI_Barrier waits for .* \(communicator "halo"\)|in MPI_Barrier waits for rank \d to come', {"timeout": 60}))


def check_tracer(bench, ranks):
    """A rank that traces its child waits longer than a call keeps its worker, twice."""
    bench.check((f"no deadlock: tracer {ranks}", f"mpiexec {ranks} ./tracer", 0, "done", r"\A\Z", {"timeout": 60}))


def check_teams(bench):
    bench.check(("deadlock: teams", "mpiexec -n 2 ./team_deadlock waits", 1, None,
                 REPORT_OF_THREADS + r"(.*\n)+.* in MPI_Recv waits for a message from rank 1 with tag 0", {"timeout": 60}))
    bench.check(("no deadlock: teams", "mpiexec -n 2 ./team_deadlock sends", 0, "done", None, {"timeout": 60}))


def check_switched_off(bench, ranks):
    job = subprocess.Popen(bench.command(f"mpiexec --no-deadlock-check {ranks} ./deadlocks receives"), cwd=bench.work,
                           stdin=subprocess.DEVNULL)
    try:
        job.wait(timeout=1)
        wrong = [f"it ended with {job.returncode}"]
    except subprocess.TimeoutExpired:
        wrong = []
    job.kill()
    job.wait()
    bench.report(f"--no-deadlock-check leaves a job that waits alone: {ranks}", wrong)


def check_connections(bench):
    # Before MPI_Init the fabric has no connection, so one to another process is that of the watch.
    for option, connections in (("", 1), ("--no-deadlock-check", 0)):
        bench.check((f"connections of the watch: {option}", f"mpiexec {option} --processes 2 -n 2 ./connections", 0,
                     f"^rank 1 has {connections}$", None, {"env": BY_NETWORK}))


def check_waits(bench, ranks, env=None):
    """Main strands that wait in MPI."""
    options = {"timeout": 60, "env": env}
    for how in DEADLOCKS + IN_COLLECTIVES:
        bench.check((f"deadlock: {how} {ranks} {env}", f"mpiexec {ranks} ./deadlocks {how}", 1, None, REPORT, options))
    for how, says in OTHERS:
        bench.check((f"no deadlock: {how} {ranks} {env}", f"mpiexec {ranks} ./deadlocks {how}", 0, says, None, options))
    # Its handler ends it inside MPI.
    bench.check((f"no deadlock: alarm {ranks} {env}", f"mpiexec {ranks} ./deadlocks alarm", 1, "alarm",
                 "in a signal handler that has interrupted MPI", options))
    said = "ended with status 7" if "--processes" in ranks else None
    bench.check((f"no deadlock: raw {ranks} {env}", f"mpiexec {ranks} ./deadlocks raw", 7, "alarm", said, options))
    check_disagreement(bench, ranks, env)
    check_input(bench, f"mpiexec {ranks} ./deadlocks input", env)
    check_input(bench, f"mpiexec {ranks} ./deadlocks root_input", env)


def check_ranks_as_processes(bench, ranks):
    """Each thread looks by itself. With a handler nothing is proven."""
    options = {"timeout": 60}
    for how in [how for how in DEADLOCKS if how != "handler"] + IN_COLLECTIVES:
        bench.check((f"deadlock: {how} {ranks}", f"mpiexec {ranks} ./deadlocks {how}", 1, None, r"\A" + REPORT, options))
    for how, says in OTHERS:
        if how == "ring":
            continue  # more processes than cores take long
        bench.check((f"no deadlock: {how} {ranks}", f"mpiexec {ranks} ./deadlocks {how}", 0, says, None, options))
    for how in NONE_OF_THREADS:
        bench.check((f"no deadlock: {how} {ranks}", f"mpiexec {ranks} ./thread_deadlocks {how}", 0, "done", None, options))
    for how in OF_THREADS + THAT_WAIT_IN_COLLECTIVES + OF_HELPERS:
        if how in NOT_AS_PROCESSES:
            continue
        bench.check((f"deadlock: {how} {ranks}", f"mpiexec {ranks} ./thread_deadlocks {how}", 1, None, REPORT_OF_THREADS, options))
    bench.check((f"no deadlock: raw {ranks}", f"mpiexec {ranks} ./deadlocks raw", 7, "alarm",
                 r"\Ampiexec: rank 0 ended with status 7 without calling MPI_Finalize\n\Z", options))
    check_disagreement(bench, ranks)
    check_input(bench, f"mpiexec {ranks} ./deadlocks input")
    check_input(bench, f"mpiexec {ranks} ./deadlocks root_input")


def check_long_waits(bench):
    """Hosts whose waits have been so long that they say only after seconds that they stand still."""
    bench.check(("deadlock: longer", "mpiexec --processes 2 -n 2 ./deadlocks longer", 1, None, REPORT, {"timeout": 60, "env": BY_NETWORK}))


def check_pretended(bench):
    """Hosts in one process, whose network delays and refuses packets as the seed says: with a message under way the job goes on."""
    pretended = Bench([None, bench.bin.parent / "pretended" / bench.bin.name, bench.work])
    for faults in ("0", "3", "7"):
        options = {"timeout": 60, "env": {"HEDDLE_TEST_HOSTS": "3", "HEDDLE_TEST_FAULTS": faults}}
        for how in ("receives", "any", "sends", "large", "probe", "barrier", "bcast", "root", "finalize"):
            pretended.check((f"deadlock: {how} on pretended hosts, faults {faults}", f"mpiexec -n 5 ./deadlocks {how}", 1, None,
                             REPORT, options))
        for how, says in OTHERS:
            pretended.check((f"no deadlock: {how} on pretended hosts, faults {faults}", f"mpiexec -n 5 ./deadlocks {how}", 0, says,
                             None, options))
    with bench.telling:
        bench.failures += pretended.failures


def works(bench):
    """What is checked; most of these jobs wait most of the time."""
    for ranks in ("-n 2", "-n 17", "--workers 1 -n 3", "--posix-threads kernel -n 2",
                  "--processes 2 -n 4", "--processes 3 -n 7"):
        yield functools.partial(check_waits, bench, ranks)
    for ranks in ("--processes 2 -n 4", "--processes 3 --workers 1 -n 3"):
        yield functools.partial(check_waits, bench, ranks, BY_NETWORK)
    for ranks in ("-n 2", "-n 5", "--workers 1 -n 3", "--processes 2 -n 4"):
        yield functools.partial(check_threads, bench, ranks)
    yield functools.partial(check_threads, bench, "--processes 2 -n 4", BY_NETWORK)
    yield functools.partial(check_ranks_as_processes, bench, "--ranks-as processes -n 3")
    for check in (check_pretended, check_long_waits, check_queues, check_lines, check_collectives, check_gone, check_places, check_teams,
                  check_connections):
        yield functools.partial(check, bench)
    for ranks in MODES:
        for check in (check_standard, check_cloned, check_tracer):
            yield functools.partial(check, bench, ranks)
    for ranks in ("-n 2", "--processes 2 -n 2", "--ranks-as processes -n 2"):
        yield functools.partial(check_names, bench, ranks)
    for ranks in ("-n 2", "--ranks-as processes -n 2"):
        yield functools.partial(check_switched_off, bench, ranks)


def main():
    bench = Bench(sys.argv)
    bench.compile("deadlocks", "thread_deadlocks", "connections")
    bench.compile("team_deadlock", flags=["-fopenmp"])
    bench.compile("cloned", "named", "tracer", flags=["-pthread"])
    bench.compile("standard_waits", flags=["-std=c++20", "-pthread", "-fopenmp"], compiler="mpicxx")
    bench.side_by_side(*works(bench))
    bench.done()


main()
