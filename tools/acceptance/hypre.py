"""hypre's own regression tests: solvers and preconditioners for structured, semi-structured and sparse problems.

hypre's runtest.sh runs its drivers, and its scripts compare what must be equal (the same problem divided among other
ranks, with boxes in other places), and residual norms and iterations with those that hypre's authors have saved.
"""
import os
import re
import subprocess

import modes
from debian_source import build_once

# Not fac, which hypre's own autotests do not run: with 4 and 5 ranks its two largest problems do not end under MPICH 5.0.2 either.
FOLDERS = ("struct", "sstruct", "ij", "ams", "lobpcg")
DRIVERS = ("struct", "sstruct", "ij", "ams_driver", "maxwell_unscaled", "struct_migrate")
SMALL = r"struct/(migrate|periodic|pfmgtest1d|smgtest1d|hybrid)|sstruct/(sharedpart|cube)|ij/(vector|default)|ams"
LIMIT = 300  # seconds a run
# Norms and iterations were saved on another machine, by another compiler, whose sums round elsewhere.
TOLERANCE = ("-rtol", "1e-2", "-atol", "1e-12")
# Its mpiexec: notes how each run ended, of which runtest.sh takes no notice.
MPIEXEC = """#!/bin/sh
timeout -k 10 {limit} {mpiexec} -n "$@"
echo "$? $*" >> {statuses}
"""


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed", help="only as hypre lists them: 1 to 16")
    parser.add_argument("--only", default="", metavar="REGEX", help="scripts whose names it matches, e.g. ij/solvers")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds the library and its drivers with the prefix's compilers; returns the folder of the tests."""
    source = build_once("hypre", work, prefix, (
        ("src", ["./configure", "--disable-fortran", "--without-fei", f"CC={prefix / 'bin/mpicc'}",
                 f"CXX={prefix / 'bin/mpicxx'}", "CFLAGS=-O1 -w", "CXXFLAGS=-O1 -w"]),
        ("src", ["make", f"-j{os.cpu_count()}"]),
        ("src/test", ["make", f"-j{os.cpu_count()}", *DRIVERS])))
    return source / "src/test"


def _wrong(tests, script, mpirun, statuses):
    """What is wrong with the runs of a script, or nothing; and how many there were."""
    statuses.write_text("")
    subprocess.run(["bash", "./runtest.sh", "-mpi", mpirun, *TOLERANCE, f"TEST_{script}.sh"], cwd=tests,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended = statuses.read_text().splitlines()
    listed = len(re.findall(r"^\s*mpirun ", (tests / f"TEST_{script}.jobs").read_text(), re.MULTILINE))
    bad = [f"status {line}" for line in ended if not line.startswith("0 ")]
    if len(ended) != listed:
        bad.append(f"{len(ended)} of {listed} runs")
    said = (tests / f"TEST_{script}.err").read_text(errors="replace").strip()
    return "; ".join([*bad, said[:2000]] if said else bad), len(ended)


def run(tests, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts = [f"{name}/{script.stem}" for name in FOLDERS for script in sorted((tests / f"TEST_{name}").glob("*.sh"))]
    scripts = [script for script in scripts if re.match(SMALL if options.small else options.only, script)]
    complaints, runs = [], 0
    mpirun, statuses = folder / "mpirun", folder / "statuses.txt"
    with modes.mpiexec(prefix, options) as mpiexec:
        mpirun.write_text(MPIEXEC.format(limit=LIMIT, mpiexec=" ".join(mpiexec), statuses=statuses))
        mpirun.chmod(0o755)
        for script in scripts:
            wrong, ended = _wrong(tests, script, mpirun, statuses)
            runs += ended
            if wrong:
                complaints.append(f"{script}: {wrong}")
    print(f"  {len(scripts)} scripts, {runs} runs", flush=True)
    return complaints
