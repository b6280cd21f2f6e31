"""Programs that MPICH's mpicc_abi has compiled and linked, with its own mpi.h: they run here as they are, each rank a process."""
import os
import subprocess
import sys

import wheels
from table import Bench

SAID = r"\Ampiexec: ranks are processes, because './\w+' was not linked by Heddle's mpicc \(.*\)\n"

ROWS = [
    *[(f"a ring of {ranks}", f"mpiexec -n {ranks} ./ring", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z", SAID + r"\Z")
      for ranks in (1, 2, 16)],
    *[(f"messages, collectives and started ones of {ranks}", f"mpiexec -n {ranks} ./exchange", 0, r"\Aok\n\Z", SAID + r"\Z")
      for ranks in (1, 3, 16)],
    ("all are on one node", "mpiexec -n 5 ./nodes", 0, r"\Anodes 1, sum 10\n\Z", SAID + r"\Z"),
    ("MPI_Abort ends all", "mpiexec -n 4 ./leave abort 2 17", 17, None, SAID + r"rank 2: MPI_Abort\(.*, 17\)\n\Z"),
    ("without mpiexec it is a job of one", "env LD_LIBRARY_PATH={library} ./ring", 0, r"\Asum 0\n\Z", None),
]


def main():
    bench = Bench(sys.argv)
    mpicc = wheels.fetch("mpich") / "mpicc_abi"
    for name in ("ring", "exchange", "nodes", "leave"):
        subprocess.run([mpicc, "-O1", "-g", "-o", bench.work / name, bench.programs / f"{name}.c"], check=True)
    if "HEDDLE_TEST_PRELOAD" in os.environ:  # mpiexec starts what is not instrumented
        os.environ["LD_PRELOAD"] = os.environ["HEDDLE_TEST_PRELOAD"]
    for shows, line, *rest in ROWS:
        bench.check((shows, line.replace("{library}", str(bench.bin.parent / "lib")), *rest))
    bench.done()


main()
