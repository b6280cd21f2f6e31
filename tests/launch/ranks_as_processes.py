"""Jobs whose ranks are processes, on one node: programs of mpicc, scripts, and how such jobs end."""
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from table import Bench

CPUS = len(os.sched_getaffinity(0))
AS = "mpiexec --ranks-as processes"
WAITING = f"{AS} --no-deadlock-check"  # the ranks of ./wait wait for ever
BY_NETWORK = {"env": {"HEDDLE_NETWORK": "everywhere", "FI_TCP_IFACE": "lo"}}

ROWS = [
    *[(f"a ring of {ranks}", f"{AS} -n {ranks} ./ring", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z", None)
      for ranks in (2, 3, 16)],
    ("all are on one node", f"{AS} -n 5 ./nodes", 0, r"\Anodes 1, sum 10\n\Z", None),
    ("several programs have one world", f"{AS} ./nodes : -n 2 ./nodes", 0, r"\Anodes 1, sum 3\n\Z", None),
    *[(f"messages, collectives and started ones of {ranks}", f"{AS} -n {ranks} ./exchange", 0, r"\Aok\n\Z", None)
      for ranks in (1, 2, 3, 16)],
    *[(f"what is started goes on while a rank of {ranks} computes", f"{AS} -n {ranks} ./background", 0, r"\Aok\n\Z", None)
      for ranks in (2, 3, 8)],
    *[(f"sessions without MPI_Init: {command}", command, 0, r"\Aok\n\Z", None, row_options)
      for row_options in ({}, BY_NETWORK) for command in (f"{AS} -n 3 ./sessions", f"{AS} -n 3 ./sessions late")],
    ("sessions after MPI_Finalize", f"{AS} -n 3 ./sessions after", 0, r"\Aok\n\Z", None),
    ("sessions may be left open at the end", f"{AS} -n 3 ./sessions open", 0, r"\A\Z", r"\A\Z"),
    ("but not where others wait", f"{AS} -n 3 ./sessions quit 1 before", 1, None,
     r"\Ampiexec: rank 1 ended with status 0 without calling MPI_Session_finalize\n\Z"),
    ("others may do what they like outside of MPI", f"{AS} -n 3 ./sessions idle 1", 0, r"\A\Z", r"\A\Z"),
    ("nor after MPI_Finalize over a network", f"{AS} -n 3 ./sessions after", 0,
     r"\A(.*MPI_Session_init: this process has parted from the other processes .*\n){3}\Z", None, BY_NETWORK),
    *[(f"a rank that fails in a session ends all{when}", f"{AS} -n 3 ./sessions fail 1{when}", 3, None,
       r"\Ampiexec: rank 1 ended with status 3 without calling MPI_Session_finalize\n\Z") for when in ("", " after", " before")],
    ("all of it by the network", f"{AS} -n 3 ./exchange", 0, r"\Aok\n\Z", None, BY_NETWORK),
    ("MPI_Abort ends all there, too", f"{AS} -n 3 ./leave abort 2 17", 17, None, r"\Arank 2: MPI_Abort\(.*, 17\)\n\Z", BY_NETWORK),
    ("and so does a rank that ends before MPI_Init", f"{AS} -n 2 ./nodes : ./leave outside 0 0", 1, None,
     r"\A.*before it called MPI_Init.*\n\Z", BY_NETWORK),
    ("a rank is a process", f"{AS} -n 3 sh -c 'exit 0'", 0, None, ""),
    ("processes are bound as asked, and as reported", f"{AS} -n 3 --map-by core --report-bindings ./cpus", 0,
     r"\A(bound to 1\n){3}\Z", r"\A(mpiexec: rank \d on \[[.|\]\[]*B[.|\]\[]*\]\n){3}\Z"),
    ("or not at all", f"{AS} -n 3 --bind-to none --report-bindings ./cpus", 0, rf"\A(bound to {CPUS}\n){{3}}\Z",
     r"\Ampiexec: processes are not bound\n\Z"),
    ("nor without a word", f"{AS} -n 2 ./cpus", 0, rf"\A(bound to {CPUS}\n){{2}}\Z", None),
    ("a script runs as processes by itself", "mpiexec -n 2 ./script.sh", 0, r"\Asum 1\n\Z",
     r"\Ampiexec: ranks are processes, because './script.sh' is a script \(.*\)\n\Z"),
    ("and so does a program that is none of ours", "mpiexec -n 2 true", 0, None, "'true' was not linked by Heddle's mpicc"),
    ("unless threads are asked for", "mpiexec --ranks-as threads true", 1, None, "not linked by Heddle's mpicc"),
    ("input goes to rank 0", f"{AS} -n 3 cat", 0, r"\Aline\n\Z", "", {"stdin": "line\n"}),
    ("variables are the ranks'", f"{AS} -x A=b -n 1 sh -c 'echo $A'", 0, r"\Ab\n\Z", ""),
    ("the status of a rank is the job's", f"{AS} -n 4 ./leave return 2 17", 17, None, ""),
    ("MPI_Abort ends all", f"{AS} -n 4 ./leave abort 2 17", 17, None, r"\Arank 2: MPI_Abort\(.*, 17\)\n\Z"),
    ("a crash ends all and is told", f"{AS} -n 4 ./leave segv 1", 139, None,
     r"^mpiexec: rank 1 was killed by signal 11 \(Segmentation fault\)$",
     {"env": {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}}),  # it would exit in the rank's place
    ("a rank that leaves early ends all", f"{AS} -n 3 ./leave early 1 3", 3, None,
     r"^mpiexec: rank 1 ended with status 3 without calling MPI_Finalize$"),
    ("a rank that fails before MPI_Init ends all", f"{AS} -n 3 ./nodes : ./leave outside 0 5", 5, None,
     "before it called MPI_Init"),
    ("and so does one that ends with 0", f"{AS} -n 3 ./nodes : ./leave outside 0 0", 1, None, r"\A.*before it called MPI_Init.*\n\Z"),
    ("but not where none initializes", f"{AS} -n 3 ./leave outside 0 0", 0, None, ""),
    ("leaving early with 0 fails where others finalize", f"{AS} -n 4 ./leave half 1", 1, None,
     r"\A.*status 0 without calling MPI_Finalize.*\n\Z"),
    ("but not where all do so", f"{AS} -n 4 ./leave never 2", 0, r"\Alast\n\Z", None),
    ("nor in a job of one", f"{AS} -n 1 ./leave never 0", 0, r"\Alast\n\Z", None),
    ("it fails where others wait", f"{AS} -n 3 ./leave early 1 0", 1, None,
     r"\Ampiexec: rank 1 ended with status 0 without calling MPI_Finalize\n\Z"),
    ("a missing program is 127", f"{AS} -n 2 ./none", 127, None, "no program './none'"),
    ("a text is 126", f"{AS} -n 2 ./text", 126, None, "cannot start '.*/text': Exec format error"),
    ("--show shows the programs", f"{AS} --show -n 2 true x : cat", 0,
     r"\Aprocesses\nprogram\nranks=2\ndir=.*\npath=.*/true\nargc=2\ntrue\nx\nprogram\nranks=1\n", None),
    ("labels of lines", f"{AS} -l -n 2 sh -c 'echo a; printf b; echo c >&2'", 0, r"(?=(?s:.*)^\[0\] a\n)(?=(?s:.*)^\[1\] a\n)(?s:.*)^\[1\] b$",
     r"(?=(?s:.*)^\[0\] c\n)(?s:.*)^\[1\] c$"),
    ("labels of many lines", "sh -c '{mpiexec} --ranks-as processes -l -n 3 seq 40000 | sort -u | wc -l'", 0, r"\A120000\n\Z", None),
    ("the limit of open files is a rank's own with labels, too", "sh -c 'ulimit -Sn 99; {mpiexec} --ranks-as processes -l sh -c \"ulimit -Sn\"'",
     0, r"\A\[0\] 99\n\Z", None),
    ("the working directory is the ranks'", f"{AS} -wdir / -n 1 pwd : -wdir /usr pwd", 0, r"\A/(usr)?\n/(usr)?\n\Z", None),
    ("-genv is for all, -env for some", f"{AS} -genv A a -n 1 sh -c 'echo $A$B' : -env B b sh -c 'echo $A$B'", 0, r"^ab$", None),
    ("a child of a rank is a job of one", f"{AS} -n 2 ./exchange ./exchange", 0, r"\A(ok\n){3}\Z", None),
]


def children_of(process):
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


def fields_of(process):
    """Those of /proc/…/stat from the state on."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()


def states_below(process):
    states = {fields_of(process)[0]}
    for child in children_of(process):
        states |= states_below(child)
    return states


def descendants_are_gone(group):
    """All processes of the job were in the session of mpiexec."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def end_by(bench, what, line, number, to_group, find=lambda job: job, sentences=0):
    """Ends a job that has said "ready", as a terminal (all processes of the group) or as kill (mpiexec alone)."""
    job = subprocess.Popen(bench.command(line), cwd=bench.work, text=True, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    wrong = [] if job.stdout.readline() == "ready\n" else ["it did not start"]
    (os.killpg if to_group else os.kill)(int(find(job.pid)), number)
    try:
        stdout, stderr = job.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        stdout, stderr = job.communicate()
        wrong.append("it went on")
    if job.returncode not in (-number, 128 + number):
        wrong.append(f"exit status {job.returncode}, not the shell's for signal {number}")
    if number != signal.SIGKILL and stderr.count("\n") != sentences:
        wrong.append(f"it did not say {sentences} sentences")
    end = time.monotonic() + 30  # those of a killed parent end a moment later
    while not descendants_are_gone(job.pid) and time.monotonic() < end:
        time.sleep(0.01)
    if not descendants_are_gone(job.pid):
        wrong.append("processes are left")
    bench.report(what, wrong, stdout + stderr)


def stop_and_go_on(bench, how=AS):
    """SIGTSTP to mpiexec stops all processes of the job, SIGCONT lets them go on."""
    job = subprocess.Popen(bench.command(f"{how} -n 3 ./wait spin"), cwd=bench.work, text=True, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    job.stdout.readline()
    wrong = []
    for number, wanted in ((signal.SIGTSTP, {"T"}), (signal.SIGCONT, {"S", "R"})):
        os.kill(job.pid, number)
        end = time.monotonic() + 60
        while not states_below(job.pid) <= wanted and time.monotonic() < end:
            time.sleep(0.01)
        if not states_below(job.pid) <= wanted:
            wrong.append(f"after {number.name} the states are {states_below(job.pid)}")
    os.killpg(job.pid, signal.SIGTERM)
    job.communicate(timeout=60)
    bench.report("a job stops and goes on with mpiexec", wrong)


def blocked_ranks_use_no_processor(bench, how=WAITING):
    """Four ranks wait for ever; what they use meanwhile is what they needed to begin."""
    job = subprocess.Popen(bench.command(f"{how} -n 4 ./wait"), cwd=bench.work, text=True, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    job.stdout.readline()
    (supervisor,) = children_of(job.pid)
    ranks = children_of(supervisor)

    def ticks():
        return sum(sum(map(int, fields_of(rank)[11:13])) for rank in ranks)

    while {fields_of(rank)[0] for rank in ranks} != {"S"}:
        os.sched_yield()
    before = ticks()
    try:
        job.wait(timeout=2)
    except subprocess.TimeoutExpired:
        pass
    used = ticks() - before
    os.killpg(job.pid, signal.SIGTERM)
    job.communicate()
    bench.report("blocked ranks use no processor time", [f"{used} ticks in two seconds"] if used > 20 else [])


def tunables_suit_the_processor(bench):
    """`rep movsb` is off on AMD's family 25, and nowhere else: on others it is the fastest copy between cores."""
    with open("/proc/cpuinfo") as file:
        about = file.read()
    off = bool(re.search(r"^vendor_id\s*: AuthenticAMD$", about, re.MULTILINE)
               and re.search(r"^cpu family\s*: 25$", about, re.MULTILINE))
    job = subprocess.run(bench.command(f"{AS} -n 1 sh -c 'echo $GLIBC_TUNABLES'"), cwd=bench.work, text=True,
                         capture_output=True)
    wrong = [] if ("x86_rep_movsb_threshold" in job.stdout) == off else ["not this processor's"]
    bench.report("glibc's settings suit the processor", wrong, job.stdout + job.stderr)


def ends_by_signals(bench, how=WAITING, programs=("./wait", "sh -c './wait; true'"), sentences=0):
    for number in (signal.SIGINT, signal.SIGTERM):
        end_by(bench, f"{number.name} to all ends the job", f"{how} -n 3 ./wait", number, True, sentences=sentences)
        end_by(bench, f"{number.name} to mpiexec ends the job", f"{how} -n 3 ./wait", number, False, sentences=sentences)
    for find, who in ((lambda job: job, "mpiexec"), (lambda job: children_of(job)[0], "its supervisor")):
        for program in programs:
            end_by(bench, f"no process survives {who}: {program}", f"{how} -n 3 {program}", signal.SIGKILL, False, find)


def main():
    bench = Bench(sys.argv)
    bench.compile("cpus", "ring", "nodes", "leave", "exchange", "background", "wait", "sessions")
    (bench.work / "script.sh").write_text("#!/bin/sh\nexec ./ring\n")
    (bench.work / "script.sh").chmod(0o755)
    (bench.work / "text").write_text("nothing\n")
    (bench.work / "text").chmod(0o755)
    if "HEDDLE_TEST_PRELOAD" in os.environ:  # mpiexec starts what is not instrumented
        os.environ["LD_PRELOAD"] = os.environ["HEDDLE_TEST_PRELOAD"]
    rows = ((shows, line.replace("{mpiexec}", str(bench.bin / "mpiexec")), *rest) for shows, line, *rest in ROWS)
    bench.side_by_side(*(functools.partial(bench.check, row) for row in rows))
    ends_by_signals(bench)
    stop_and_go_on(bench)
    blocked_ranks_use_no_processor(bench)
    tunables_suit_the_processor(bench)
    bench.done()


if __name__ == "__main__":
    main()
