"""Threads of ranks as a program sees them: each of its uses with one and two workers, as ults and as
kernel threads.

    programs.py BIN WORK
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

WAYS = [f"--workers {workers} --posix-threads {kind}"
        for workers in (1, 2) for kind in ("ult", "kernel")]
USES = ["together", "fresh", "late", "exits", "timed", "attributed", "c11", "polling", "surroundings",
        "cancels", "outlive", "leaving"]
# What each of two ranks prints at its end, in whichever order they end. A main strand that exits may
# come before the thread that prints.
HANDLED = r"(?s)\A(?=.*^ok\n(left 1\n)?(handled 1\n)?handled 0\n)(?=.*^handled 1\n)(.*?\n){%s}\Z"
ORDER = r"\Athread_local\nstatic of the thread\nhandler\nstatic\n\Z"
# 20 lines of each of three ranks, and the child's; none of them twice.
FORKED = r"\A(?!(?s:.*)^(.+)\n(?s:.*)^\1$)(?=((?s:.*)^child of \w+ 5$){3})(.*\n){183}\Z"
CONSTRUCTED = r"\A" + "".join(rf"(?=((?s:.*?)^{where} 4$){{RANKS}})"
                              for where in ("constructed", "loaded", "unloaded", "main", "destroyed"))
CHILD_ENDS = r"\A(handler\n(main|with a thread|thread): exited 0\n){3}\Z"
FORK_LOCKS = ["environment", "random", "files", "handlers", "name", "children", "pipes", "mask", "condition"]
CALLS = ["fifo", "open", "fopen", "stream", "raw", "socket", "semaphore", "poll", "masked", "flock", "epoll", "child",
         "durations"]
PARKED = ["fifo", "open", "fopen", "socket", "poll", "masked", "epoll", "flock", "child"]
ALL_EIGHT_OK = r"\A(ok\n){8}\Z"
ALL_FOUR_OK = r"\A(ok\n){4}\Z"
ALL_OK = r"\A(ok\n){3}\Z"


def rows(oracle):
    for way in WAYS:
        for use in USES:
            yield (f"{use}, {way}", f"mpiexec -n 3 {way} ./pthreads {use}", 0, ALL_OK, None)
        yield (f"a time zone for each rank, {way}", f"mpiexec -n 8 {way} ./zones", 0, ALL_EIGHT_OK, None)
        yield (f"libstdc++, {way}", f"mpiexec -n 3 {way} ./cxx_threads", 0, ALL_OK, None)
        yield (f"a crash names the thread, {way}", f"mpiexec -n 2 {way} ./pthreads crash", 139, None,
               "rank [01], thread 1 crashed")
        for main in ("waits", "sleeps", "yields", "exits", "leaves"):
            yield (f"exit in a thread ends its rank while main {main}, {way}",
                   f"mpiexec -n 2 {way} ./pthreads exit {main}", 7,
                   HANDLED % ("3,4" if main == "exits" else "4"), None)
        yield (f"a fork calls the handlers of its rank, {way}", f"mpiexec -n 3 {way} ./fork_handlers", 0, ALL_OK, None)
        yield (f"a child of fork runs alone, {way}", f"mpiexec -n 4 {way} ./forks", 0, FORKED, None)
        for kind in FORK_LOCKS + (["threads"] if "ult" in way else []):
            yield (f"a child of fork finds no lock held: {kind}, {way}", f"mpiexec -n 2 {way} ./fork_locks {kind}",
                   0, r"\A(ok\n){2}\Z", None)
        for ranks, more in ((1, ""), (3, ""), (2, " --ranks-as processes")):
            yield (f"constructors wait for threads, {ranks} ranks, {way}{more}",
                   f"mpiexec -n {ranks} {way}{more} ./constructors", 0, CONSTRUCTED.replace("RANKS", str(ranks)), None,
                   {"timeout": 60})
        for program in ("sleeps", "names", "gamma", "begins"):
            yield (f"{program}, {way}", f"mpiexec -n 3 {way} ./{program}", 0, ALL_OK, None)
        for use in ("shrink", "used", "fails"):
            yield (f"fflush(NULL) while streams come and go: {use}, {way}", f"mpiexec -n 2 {way} ./flushes {use}", 0,
                   r"\A(ok\n){2}\Z", None)
        yield (f"destructors run after the last thread, {way}", f"mpiexec -n 2 {way} ./last_exit", 0,
               r"\A(destroyed after the thread\n){2}\Z", None)
        yield (f"cancelled where they wait, {way}", f"mpiexec -n 1 {way} ./cancel", 0, oracle, None)
        yield (f"a rank cannot change the user of all, {way}", f"mpiexec -n 3 {way} ./identity", 0, ALL_OK, None)
        yield (f"a main that is cancelled leaves its rank to the threads, {way}",
               f"mpiexec -n 1 {way} ./cancel_main", 0, r"\Acleaned\nthread ends\nhandler\n\Z", None)
        yield (f"exit in a thread destroys in order, {way}", f"mpiexec -n 1 {way} ./exit_order", 3,
               ORDER, None)
        yield (f"exit in a thread before MPI_Finalize ends the job, {way}",
               f"mpiexec -n 2 {way} ./pthreads early-exit", 7, "^handled 1$",
               "status 7 without calling MPI_Finalize")
    for use in ("barrier", "flag", "short", "beside", "shared", "memory", "handler", "numbers"):
        for workers in (1, 2):
            yield (f"nobody keeps a worker: {use}, --workers {workers}",
                   f"mpiexec -n 2 --workers {workers} ./slices {use}", 0, r"\A(ok\n){2}\Z", None,
                   {"env": {"HEDDLE_TIME_SLICE": "1000"}})
    for where in ("own", "malloc", "memmove", "wtime", "clock"):
        yield (f"a message does not wait for a slice at each hop: {where}",
               f"mpiexec -n 8 --workers 1 ./fair token {where}", 0, ALL_EIGHT_OK, None)
    for which in ("read", "write", "fsync"):
        yield (f"who makes system calls lets others run: {which}",
               f"mpiexec -n 2 --workers 1 ./fair calls {which}", 0, r"\A(ok\n){2}\Z", None)
    for use in ("urgent", "masked"):  # one rank: signals are the process's
        yield (f"nobody keeps a worker: {use}", f"mpiexec -n 1 --workers 1 ./slices {use}", 0,
               r"\Aok\n\Z", None, {"env": {"HEDDLE_TIME_SLICE": "1000"}})
    for workers in (1, 2):
        yield (f"news end no call that waits, --workers {workers}",
               f"mpiexec -n 4 --workers {workers} ./calls patient", 0, ALL_FOUR_OK, None,
               {"env": {"HEDDLE_TIME_SLICE": "1000"}})
        for use in CALLS:
            yield (f"calls that wait keep no worker: {use}, --workers {workers}",
                   f"mpiexec -n 8 --workers {workers} ./calls {use}", 0, ALL_EIGHT_OK, None)
            yield (f"calls that wait keep no worker: {use}, --workers {workers}, slices of 1 ms",
                   f"mpiexec -n 8 --workers {workers} ./calls {use}", 0, ALL_EIGHT_OK, None,
                   {"env": {"HEDDLE_TIME_SLICE": "1000"}})
        for use in PARKED:
            yield (f"calls that wait for descriptors need no call monitor: {use}, --workers {workers}",
                   f"mpiexec -n 8 --workers {workers} ./calls {use}", 0, ALL_EIGHT_OK, None,
                   {"env": {"HEDDLE_TIME_SLICE": "0"}})
        yield (f"a lock of libc for which a rank waits in MPI keeps no worker, --workers {workers}",
               f"mpiexec -n 2 --workers {workers} ./held_lock", 0, r"\A(ok\n){2}\Z", None)
        for what in ("mutex", "semaphore", "condition"):
            yield (f"a rank that is over leaves its turn to the next: {what}, --workers {workers}",
                   f"mpiexec -n 3 --workers {workers} ./turns {what}", 0, r"\Aok\n\Z", None)
        yield (f"threads of static objects keep no worker, --workers {workers}",
               f"mpiexec -n 4 --workers {workers} ./static_pool", 0, r"\A(ok\n){4}\Z", None)
    for workers in (1, 2):
        for kind in ("ult", "kernel"):
            for use in ("wait", "sleep", "both", "short", "threads", "call"):
                yield (f"a rank's processor time is its own: {use}, --workers {workers}, {kind} threads",
                       f"mpiexec -n 2 --workers {workers} --posix-threads {kind} ./clocks {use}", 0,
                       r"\A(ok\n){2}\Z", None)
    for how in ("longjmp", "throw", "called", "nested"):
        yield (f"an error handler that does not return ends its call: {how}",
               f"mpiexec -n 2 --workers 1 ./left_calls {how}", 0, r"\A(ok\n){2}\Z", None,
               {"env": {"HEDDLE_TIME_SLICE": "1000"}})
    yield ("a crash names private libraries, too", "mpiexec -n 1 ./uncaught", 134, None,
           r"^  0x\S+  __cxa_throw +libstdc\+\+\.so\.6$")
    yield ("a crash after a call that an error handler has left names no call",
           "mpiexec -n 1 ./left_calls crash", 139, None, r"\Arank 0 crashed: .* at address 0x0\n")
    yield ("who sleeps beside threads that compute wakes up in time",
           "mpiexec -n 1 --workers 1 ./slices sleeps", 0, r"\Aok\n\Z", None,
           {"env": {"HEDDLE_TIME_SLICE": "1000"}})
    yield ("many threads of many ranks", "mpiexec -n 16 ./pthreads together", 0, r"\A(ok\n){16}\Z", None)
    for kind in ("ult", "kernel"):
        yield (f"the variable says {kind}", "mpiexec -n 1 ./pthreads all", 0, "^ok$", None,
               {"env": {"HEDDLE_POSIX_THREADS": kind}})
    cpus = len(os.sched_getaffinity(0))
    for what in ("thread", "team", "fork", "system", "popen", "spawn"):
        yield (f"is not bound to its rank's core: {what}",
               f"mpiexec -n 1 --posix-threads kernel ./cores {what}", 0, rf"\A1 {what} {cpus} back\n\Z", None)
    yield ("is where the program wants it", "mpiexec -n 1 --posix-threads kernel ./cores bound", 0,
           r"\A1 bound 1 back\n\Z", None)
    yield ("a main that is cancelled in a process of its own", "./cancel_main", 0,
           r"\Acleaned\nthread ends\nhandler\n\Z", None)
    for way in WAYS:
        yield (f"pthread_exit of a child's only thread ends the child, {way}", f"mpiexec -n 1 {way} ./child_ends", 0,
               CHILD_ENDS, None)
    yield ("constructors of a process wait for threads", "./constructors", 0, CONSTRUCTED.replace("RANKS", "1"), None,
           {"timeout": 60})
    for program in ("sleeps", "names", "gamma", "begins"):
        yield (f"{program} of a process", f"./{program}", 0, r"\Aok\n\Z", None)
    yield ("a process changes its user", "./identity alone", 0, r"\Aok\n\Z", None)
    yield ("pthread_exit in the child of a process", "./child_ends", 0, CHILD_ENDS, None)
    yield ("the order of the process itself", "./exit_order", 3, ORDER, None)
    yield ("without mpiexec", "./pthreads all", 0, r"\Aok\n\Z", None)


def answers(bench):
    """A rank hears of as many CPUs as a process does, which is the oracle."""
    subprocess.run(["cc", "-DPLAIN", "-O1", "-g", "-pthread", "-fopenmp", "-o", bench.work / "cores_plain",
                    HERE / "programs" / "cores.c"], check=True)
    for few in ("", f"taskset -c {max(os.sched_getaffinity(0))} "):
        wanted = bench.run(f"{few}./cores_plain asked").stdout
        for workers in (1, 2):
            bench.check((f"CPUs of a rank, {few}--workers {workers}",
                         f"{few}{bench.bin}/mpiexec -n 2 --workers {workers} ./cores asked", 0,
                         rf"\A({wanted}){{2}}\Z", None))
    wanted = bench.run("./cores_plain chosen").stdout
    for way in WAYS:
        bench.check((f"CPUs that a rank chooses, {way}", f"mpiexec -n 1 {way} ./cores chosen", 0, rf"\A{wanted}\Z",
                     None))


def as_in_a_process(bench, title, program, counts, ways):
    """Each rank prints what the same program prints as a process without us, which is the oracle."""
    subprocess.run(["cc", "-w", "-DPLAIN", "-O1", "-g", "-pthread", "-o", bench.work / f"{program}_plain",
                    HERE / "programs" / f"{program}.c", "-lm"], check=True)
    wanted = collections.Counter(bench.run(f"./{program}_plain").stdout.splitlines())
    for way in ways:
        for ranks in counts:
            line = f"mpiexec -n {ranks} {way} ./{program}"
            result = bench.run(line)
            got = collections.Counter(result.stdout.splitlines())
            wrong = [f"{text!r}: {got[text]} times, not {ranks * wanted[text]}"
                     for text in sorted(got | wanted) if got[text] != ranks * wanted[text]]
            bench.report(f"{title}, {ranks} ranks, {way}", wrong, f"$ {line}\n{result.stderr[-2000:]}")


def main():
    bench = Bench(sys.argv)
    programs = HERE / "programs"
    for source in sorted(programs.glob("*.c")):
        has_teams = source.stem == "cores" or source.stem.startswith("openmp")
        subprocess.run([bench.bin / "mpicc", "-O1", "-g", *(["-fopenmp"] if has_teams else []),
                        "-o", bench.work / source.stem, source, "-lm"], check=True,
                       env={**os.environ, "HEDDLE_OPENMP": "gnu"})  # cores is about kernel threads' CPUs
    for source in sorted(programs.glob("*.cpp")):
        subprocess.run([bench.bin / "mpicxx", "-std=c++20", "-O1", "-g", "-o", bench.work / source.stem,
                        source], check=True)
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-DPLUGIN", "-shared", "-fPIC", "-o",
                    bench.work / "libconstructors.so", programs / "constructors.c"], check=True)
    # The same program without us, on the kernel's threads.
    subprocess.run(["cc", "-DPLAIN", "-O1", "-g", "-pthread", "-o", bench.work / "cancel_plain",
                    programs / "cancel.c"], check=True)
    plain = subprocess.run([bench.work / "cancel_plain"], check=True, capture_output=True, text=True)
    for row in rows(rf"\A{re.escape(plain.stdout)}\Z"):
        bench.check(row)
    answers(bench)
    as_in_a_process(bench, "calls that wait", "waits", (1, 4), WAYS)
    as_in_a_process(bench, "cancelled in a call that waits", "cancelled_calls", (1, 3),
                    [*WAYS, "--ranks-as processes"])
    as_in_a_process(bench, "transfers that our signals cut", "cut_transfers", (1, 3), WAYS)
    as_in_a_process(bench, "signals by older interfaces", "old_signals", (1, 3), [*WAYS, "--ranks-as processes"])
    as_in_a_process(bench, "functions of notices", "notices", (1, 3), [*WAYS, "--ranks-as processes"])
    bench.done()


main()
