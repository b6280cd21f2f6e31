"""Programs under hydra, MPICH's launcher: it starts the ranks as processes, and they find each other through PMI-1."""
import shlex
import sys

import wheels
from table import Bench


def rows(hydra):
    at = f"{hydra} -n"
    return [
        *[(f"a ring of {ranks}", f"{at} {ranks} {{ring}}", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z", None)
          for ranks in (2, 3, 16)],
        ("one rank", f"{at} 1 {{tell}}", 0, r"\A0 of 1\n\Z", None),
        ("all are on one node", f"{at} 5 {{nodes}}", 0, r"\Anodes 1, sum 10\n\Z", None),
        ("several programs have one world", f"{at} 1 {{nodes}} : -n 2 {{nodes}}", 0, r"\Anodes 1, sum 3\n\Z", None),
        *[(f"messages, collectives and started ones of {ranks}", f"{at} {ranks} {{exchange}}", 0, r"\Aok\n\Z", None)
          for ranks in (1, 2, 3, 16)],
        ("a child of a rank is a job of one", f"{at} 2 {{exchange}} ./exchange", 0, r"\A(ok\n){3}\Z", None),
        ("the status of a rank is the job's", f"{at} 4 {{leave}} return 2 17", 17, None, None),
        ("MPI_Abort ends all", f"{at} 4 {{leave}} abort 2 17", 17, None, r"^rank 2: MPI_Abort\(.*, 17\)$"),
    ]


def main():
    bench = Bench(sys.argv)
    names = ("exchange", "leave", "nodes", "ring", "tell")
    bench.compile(*names)
    hydra = wheels.fetch("mpich") / "mpiexec.hydra"
    # What a sanitizer needs is for the ranks only.
    before = shlex.join(bench.before_programs)
    programs = {name: f"{before} ./{name}" for name in names}
    bench.before_programs = []
    for shows, line, status, stdout, stderr in rows(hydra):
        bench.check((shows, line.format(**programs), status, stdout, stderr))
    bench.done()


main()
