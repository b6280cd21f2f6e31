"""A rank in Fortran is a process: its units, files, seeds, arguments, ends and teams. Usage: process_test.py BIN WORK COMPILER"""
import os
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

COMPILER = sys.argv[3]
FLANG = "flang" in COMPILER
CHECKS = [] if FLANG else ["-fcheck=bounds", "-ffpe-trap=zero,invalid", "-fstack-arrays"]
# How a rank ends, and what standard error then has beside the rank's number.
BACKTRACE = r"" if FLANG else r"(?=(?s:.*)ends\.f90:\d+)"
ENDS = {"stop": "STOP", "stop_text": "STOP(: code)? a reason|Fortran STOP: a reason", "error_stop": BACKTRACE + "(?s:.*)4",
        "error_stop_text": BACKTRACE + "(?s:.*)a reason", "exit": "", "abort": BACKTRACE, "bounds": BACKTRACE + "(?s:.*)above upper bound of 3",
        "trap": BACKTRACE, "null": BACKTRACE, "twice": BACKTRACE, "end_of_file": BACKTRACE + "(?s:.*)[Ee]nd of file",
        "no_file": BACKTRACE + "(?s:.*)such file", "wrong_number": BACKTRACE, "recursion": "overflowed|Segmentation",
        "automatic": "overflowed|Segmentation"}
# flang checks no bounds and no allocation, sets no traps, leaves out what stores to nowhere, and keeps automatic arrays off the stack.
if FLANG:
    ENDS = {how: said for how, said in ENDS.items() if how not in ("bounds", "trap", "null", "twice", "automatic")}


def compile_all(bench):
    def make(compiler, name, *flags, output=None):
        subprocess.run([compiler, "-g", "-cpp", "-o", output or name, HERE / f"programs/{name}.f90", *flags], cwd=bench.work, check=True)

    mpifort = bench.bin / "mpifort"
    for name in ("early_end", "units"):
        make(mpifort, name, "-O1")
    make(mpifort, "rank_state", "-O0")
    make(mpifort, "rank_state", "-O2", output="rank_state_optimized")
    make(mpifort, "ends", "-O1", "-DWITH_MPI", *CHECKS)
    make(COMPILER, "ends", "-O1", *CHECKS, output="ends_alone")
    subprocess.run([bench.bin / "mpicc", "-c", HERE / "programs/left_thread.c"], cwd=bench.work, check=True)
    make(COMPILER, "told", "-shared", "-fPIC", output="libtold.so")
    make(mpifort, "left_units", "left_thread.o", "-L.", "-ltold", "-Wl,-rpath,$ORIGIN")
    if not FLANG:  # its libomp is a package of its own
        make(mpifort, "teams", "-O1", "-fopenmp")


def processes(bench):
    """Before the program, where each rank is a process."""
    return f"--ranks-as processes {' '.join(bench.before_programs)}"


def check_state(bench):
    more = {"env": {"RANK_STATE": "as asked"}}
    for name in ("rank_state", "rank_state_optimized"):
        for ranks, mode in ((1, ""), (16, ""), (256, ""), (1, processes(bench)), (16, processes(bench))):
            bench.check((f"{name} with {ranks} {mode}", f"mpiexec -n {ranks} {mode} ./{name} one 'and two'", 0,
                         rf"\A{ranks} ranks, 0 errors\n\Z", None, more))
        bench.check((f"{name} by itself", f"./{name} one 'and two'", 0, r"\A1 ranks, 0 errors\n\Z", None, more))


def check_units(bench):
    for ranks, mode in ((1, ""), (16, ""), (64, ""), (8, processes(bench))):
        result = bench.run(f"mpiexec -n {ranks} {mode} ./units", stdin="1\n2\n3\n4\n")
        lines = sorted(f"rank {rank}, line {i}, sum 10" for rank in range(ranks) for i in range(1, 51))
        after = sorted(f"after the end, rank {rank}" for rank in range(ranks))
        wrong = [f"{name} is wrong" for name, text, right in (
            ("unit 6", result.stdout, sorted(lines + after)), ("unit 0", result.stderr, lines))
            if sorted(text.splitlines()) != right]
        bench.report(f"units of {ranks} ranks {mode}", wrong, f"{result.stdout[-500:]}{result.stderr[-500:]}")


def check_left_units(bench):
    """Their lines are in files, which the runtime libraries write in large pieces."""
    # A library that flang has linked holds its runtime library, and so cannot be shared.
    for mode in ("", processes(bench), *([] if FLANG else ["--share-library libtold"])):
        command = f"rm -f left_unit_*; {bench.bin}/mpiexec -n 3 {mode} ./left_units >left_output && cat left_output left_unit_*"
        bench.check((f"units of ranks whose threads go on {mode}", shlex.join(["sh", "-c", command]), 0,
                     r"\A(unit 6 of rank \d\n){3}unit 10 of rank 0\nunit 10 of rank 1\nunit 10 of rank 2\n\Z", ""))


def check_ends(bench):
    """As the same program ends that gfortran has built without MPI, but for a job that ends before its time without an error."""
    for how, said in ENDS.items():
        alone = bench.run(f"./ends_alone {how}").returncode
        alone = alone if alone >= 0 else 128 - alone
        for ranks, mode in ((1, ""), (3, ""), (16, ""), (3, processes(bench))):
            status = 1 if alone == 0 and ranks > 1 else alone
            named = rf"(?=(?s:.*)rank {ranks - 1}\b)" if ranks > 1 else ""
            bench.check((f"{how} with {ranks} {mode}", f"mpiexec -n {ranks} {mode} ./ends {how}", status, "", f"\\A{named}(?s:.*)({said})"))
    for how in ("error_stop", "abort"):
        status = bench.run(f"./ends_alone {how}").returncode
        bench.check((f"{how} with 256", f"mpiexec -n 256 ./ends {how}", status if status >= 0 else 128 - status, "", r"(?s)rank 255\b"))
    for mode in ("", processes(bench)):
        bench.check((f"an end without fault {mode}", f"mpiexec -n 3 {mode} ./ends end", 0, r"(?s)(rank . is here.*){3}", None))
        bench.check((f"a larger stack {mode}", shlex.join(["sh", "-c", f"ulimit -s 65536; {bench.bin}/mpiexec -n 2 {mode} ./ends automatic"]), 0,
                     r"9\.?00000|9\.0+E", None))
    for attempt in range(5):
        bench.check((f"an end while others are loaded, {attempt}", "mpiexec -n 8 ./early_end", 4, None, "4"))


def check_teams(bench):
    for ranks, mode in ((1, ""), (16, ""), (64, ""), (4, processes(bench))):
        bench.check((f"teams of {ranks} ranks {mode}", f"mpiexec -n {ranks} {mode} ./teams", 0, rf"\A{ranks} ranks, 0 errors\n\Z", None))


def main():
    bench = Bench(sys.argv)
    os.environ["HEDDLE_FC"] = COMPILER
    compile_all(bench)
    check_state(bench)
    check_units(bench)
    check_left_units(bench)
    check_ends(bench)
    if not FLANG:
        check_teams(bench)
    bench.done()


main()
