"""Windows under mpiexec: a target that computes, and waits that never end."""
import sys

from ranks_as_processes import BY_NETWORK
from table import Bench

# Where ranks are in several processes, and the memory is the program's.
REPORT_OF_PROCESSES = (
    r"  rank 1 in MPI_Win_lock waits for a shared lock of rank 1 in the window \"halo\", which rank 0 has, called by .*\n"
    r"  rank 2 in MPI_Win_start waits for MPI_Win_post of rank 0, rank 1, rank 2, rank 4, rank 5 on the window \"halo\", .*\n"
    r"  rank 3 in MPI_Win_wait waits for MPI_Win_complete of 6 ranks on the window \"halo\", .*\n"
    r"  rank 4 in MPI_Win_lock_all waits for the end of exclusive locks in the process of rank \d in the window \"halo\", .*\n"
    r"  rank 5 in MPI_Win_fence waits for ")

REPORT = (r"  rank 1 in MPI_Win_lock waits for a shared lock of rank 1 in the window \"halo\", which rank 0 has, called by .*\n"
          r"  rank 2 in MPI_Win_start waits for MPI_Win_post of rank 0, rank 1, rank 2, rank 4, rank 5 on the window \"halo\", .*\n"
          r"  rank 3 in MPI_Win_wait waits for MPI_Win_complete of 6 ranks on the window \"halo\", .*\n"
          r"  rank 4 in MPI_Win_lock_all waits for the end of the exclusive lock of rank 1 in the window \"halo\", which rank 0 has, .*\n"
          r"  rank 5 in MPI_Win_fence waits for ")


def rows():
    for workers in (1, 2):
        for ranks in (2, 5):
            yield (f"a target computes, {ranks} ranks, {workers} workers", f"mpiexec -n {ranks} --workers {workers} ./windows busy", 0,
                   r"\Acounted\n\Z", None)
    yield ("what calls on a window wait for", "mpiexec -n 6 ./windows waits", 1, r"\A\Z", REPORT, {"timeout": 60})
    for ranks in ("--ranks-as processes -n 3", "--processes 2 -n 4"):
        for memory in ("", " create"):
            yield (f"a target computes, {ranks}{memory}", f"mpiexec {ranks} ./windows busy{memory}", 0, r"\Acounted\n\Z", None)
    yield ("a target is stopped", "mpiexec --ranks-as processes -n 2 ./windows stopped", 0, r"\A201\n\Z", None)
    for ranks in ("-n 3", "--ranks-as processes -n 3", "--processes 2 -n 4"):
        yield (f"a window is left, {ranks}", f"mpiexec {ranks} ./windows left", 0, r"\A\Z", None)
    yield ("the rank dies for which others wait, by a network", "mpiexec --ranks-as processes -n 6 ./windows dies", 137, r"\A\Z",
           r"^mpiexec: rank 0 was killed by signal 9 \(Killed\)\n", {"timeout": 60, **BY_NETWORK})
    for ranks, dead in (("--ranks-as processes -n 6", "rank 0"), ("--processes 2 -n 6", "the process of ranks 0 to 2")):
        for memory, report in (("", REPORT), (" create", REPORT_OF_PROCESSES)):
            yield (f"what calls wait for in other processes, {ranks}{memory}", f"mpiexec {ranks} ./windows waits{memory}", 1, r"\A\Z",
                   report, {"timeout": 60})
        yield (f"the rank dies for which others wait, {ranks}", f"mpiexec {ranks} ./windows dies", 137, r"\A\Z",
               rf"\Ampiexec: {dead} was killed by signal 9 \(Killed\)\n\Z", {"timeout": 60})


def main():
    bench = Bench(sys.argv)
    bench.compile("windows")
    for row in rows():
        bench.check(row)
    bench.done()


main()
