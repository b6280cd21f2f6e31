"""Threads of ranks as a program sees them: each of its uses with one and two workers, as ults and as
kernel threads.

    programs.py BIN WORK
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

WAYS = [f"--workers {workers} --posix-threads {kind}"
        for workers in (1, 2) for kind in ("ult", "kernel")]
USES = ["together", "fresh", "exits", "timed", "attributed", "c11", "polling", "surroundings",
        "cancels", "outlive", "leaving"]
ALL_OK = r"\A(ok\n){3}\Z"


def rows():
    for way in WAYS:
        for use in USES:
            yield (f"{use}, {way}", f"mpiexec -n 3 {way} ./pthreads {use}", 0, ALL_OK, None)
        yield (f"libstdc++, {way}", f"mpiexec -n 3 {way} ./cxx_threads", 0, ALL_OK, None)
        yield (f"a crash names the thread, {way}", f"mpiexec -n 2 {way} ./pthreads crash", 139, None,
               "rank [01], thread 1 crashed")
        yield (f"exit in a thread ends the job, {way}", f"mpiexec -n 2 {way} ./pthreads exit", 7, None,
               "other than its main one called exit")
    yield ("many threads of many ranks", "mpiexec -n 16 ./pthreads together", 0, r"\A(ok\n){16}\Z", None)
    for kind in ("ult", "kernel"):
        yield (f"the variable says {kind}", "mpiexec -n 1 ./pthreads all", 0, "^ok$", None,
               {"env": {"HEDDLE_POSIX_THREADS": kind}})
    yield ("without mpiexec", "./pthreads all", 0, r"\Aok\n\Z", None)


def main():
    bench = Bench(sys.argv)
    programs = HERE / "programs"
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-o", bench.work / "pthreads",
                    programs / "pthreads.c"], check=True)
    subprocess.run([bench.bin / "mpicxx", "-std=c++20", "-O1", "-g", "-o", bench.work / "cxx_threads",
                    programs / "cxx_threads.cpp"], check=True)
    for row in rows():
        bench.check(row)
    bench.done()


main()
