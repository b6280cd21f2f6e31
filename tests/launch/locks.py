"""Locks of files exclude ranks from each other, as they exclude processes."""
import re
import subprocess
import sys

from table import Bench


def rows():
    for workers in (1, 2):
        for how in ("fcntl", "lockf", "whole"):
            yield (f"8 ranks count under {how}, {workers} workers", f"mpiexec -n 8 --workers {workers} ./locks {how}", 0,
                   r"\A800 of 800\n\Z", None)
        yield (f"whose lock is whose, {workers} workers", f"mpiexec -n 2 --workers {workers} ./locks rules", 0,
               r"\Aall said\n\Z", None)
    yield ("a child's locks are another's", "mpiexec ./locks child", 0, r"\Aall said\n\Z", None)
    for journal in ("delete", "wal"):
        yield (f"8 ranks add rows to a database, journal {journal}", f"mpiexec -n 8 ./database 'pragma journal_mode = {journal}'",
               0, r"\A200 rows\n\Z", None)


def counts_of_gcov(bench):
    """Each rank adds its counts to one file under a lock; gcov is who reads them."""
    for old in bench.work.glob("*ring.gcda"):
        old.unlink()
    subprocess.run([bench.bin / "mpicc", "--coverage", "-O0", "-o", "counted", bench.programs / "ring.c"], check=True,
                   cwd=bench.work)
    job = bench.run("mpiexec -n 16 ./counted")
    data = next(bench.work.glob("*ring.gcda"))
    told = subprocess.run(["gcov", "-t", data.name], cwd=bench.work, capture_output=True, text=True)
    counted = re.search(r"^ *(\d+)\*?: *\d+: *MPI_Init", told.stdout, re.MULTILINE)
    wrong = [] if counted and counted[1] == "16" else [f"MPI_Init was counted {counted and counted[1]} times"]
    bench.report("16 ranks count their lines for gcov", wrong, job.stderr + told.stdout + told.stderr)


def main():
    bench = Bench(sys.argv)
    bench.compile("locks")
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-o", bench.work / "database", bench.programs / "database.c",
                    "-lsqlite3"], check=True)
    for row in rows():
        bench.check(row)
    counts_of_gcov(bench)
    bench.done()


main()
