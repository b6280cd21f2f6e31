"""hypre's own regression tests: solvers and preconditioners for structured, semi-structured and sparse problems.

hypre's runtest.sh runs its drivers, and its scripts compare what must be equal (the same problem divided among other
ranks, with boxes in other places), and residual norms and iterations with those that hypre's authors have saved. Among
its examples are two in Fortran; its drivers in Fortran have no scripts, and are judged by their residuals.
"""
import os
import re
import subprocess

import modes
from debian_source import build_once

# Not fac, which hypre's own autotests do not run: with 4 and 5 ranks its two largest problems do not end under MPICH 5.0.2 either.
# Of the examples, the others need a library of other numbers (64-bit, complex, more than three dimensions).
FOLDERS = {"struct": "*", "sstruct": "*", "ij": "*", "ams": "*", "lobpcg": "*", "examples": "default"}
DRIVERS = ("struct", "sstruct", "ij", "ams_driver", "maxwell_unscaled", "struct_migrate", "f77_ij", "f77_struct")
SMALL = r"struct/(migrate|periodic|pfmgtest1d|smgtest1d|hybrid)|sstruct/(sharedpart|cube)|ij/(vector|default)|ams|examples|f77"
# Drivers in Fortran, and what they read. f77_ij: generate matrix and right-hand side, solver, tolerance. Not with AMG as the
# preconditioner: it passes the address of a pointer there in place of the array, and crashes without other ranks, too.
TOLERANCE_IN_FORTRAN = 1e-6  # what both ask for
SOLVERS = {"AMG": 0, "DS-PCG": 2, "DS-GMRES": 4, "ParaSails-GMRES": 8, "DS-BiCGSTAB": 10}
IN_FORTRAN = [("f77_struct", "")] + [("f77_ij", f"1\n1\n{solver}\n{TOLERANCE_IN_FORTRAN}\n") for solver in SOLVERS.values()]
RANKS_IN_FORTRAN = (1, 4, 8)
LIMIT = 300  # seconds a run
FORTRAN = "-O1 -w -fallow-argument-mismatch"
# Norms and iterations were saved on another machine, by another compiler, whose sums round elsewhere.
TOLERANCE = ("-rtol", "1e-2", "-atol", "1e-12")
# Its mpiexec: notes how each run ended, of which runtest.sh takes no notice.
MPIEXEC = """#!/bin/sh
timeout -k 10 {limit} {mpiexec} -n "$@"
status=$?
echo "$status $*" >> {statuses}
exit $status
"""


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed", help="only as hypre lists them: 1 to 16")
    parser.add_argument("--only", default="", metavar="REGEX", help="scripts whose names it matches, e.g. ij/solvers")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds the library and its drivers with the prefix's compilers; returns the folder of the tests."""
    compilers = [f"CC={prefix / 'bin/mpicc'}", f"CXX={prefix / 'bin/mpicxx'}"]
    source = build_once("hypre", work, prefix, (
        ("src", ["./configure", "--without-fei", *compilers, f"FC={prefix / 'bin/mpifort'}", "CFLAGS=-O1 -w", "CXXFLAGS=-O1 -w",
                 f"FCFLAGS={FORTRAN}"]),
        ("src", ["make", f"-j{os.cpu_count()}"]),
        ("src/test", ["make", f"-j{os.cpu_count()}", *DRIVERS]),
        ("src/examples", ["make", f"-j{os.cpu_count()}", *compilers, f"F77={prefix / 'bin/mpif77'}", "COPTS=-O1 -w", f"FOPTS={FORTRAN}"])))
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


def _wrong_in_fortran(tests, name, mpirun, number, given):
    """What is wrong with a run of a driver in Fortran, or nothing. hypre, which is in C, tells the residual."""
    # All ranks read unit 5, and standard input goes to one of them.
    (mpirun.parent / "fort.5").write_text(given)
    result = subprocess.run([mpirun, str(number), tests / name], cwd=mpirun.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                            errors="replace", stderr=subprocess.STDOUT, env={**os.environ, "GFORTRAN_STDIN_UNIT": "99"})
    said = re.search(r"Final (?:Relative )?Residual Norm = +([\d.E+-]+)", result.stdout)
    right = result.returncode == 0 and said and float(said[1]) <= TOLERANCE_IN_FORTRAN
    return None if right else f"{name}, {number} ranks, {given.split()}: status {result.returncode}: {result.stdout[-500:]}"


def run(tests, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = SMALL if options.small else options.only
    scripts = [f"{name}/{script.stem}" for name, which in FOLDERS.items() for script in sorted((tests / f"TEST_{name}").glob(f"{which}.sh"))]
    scripts = [script for script in scripts if re.match(wanted, script)]
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
        for name, given in IN_FORTRAN:
            for number in RANKS_IN_FORTRAN if re.match(wanted, name) else ():
                wrong = _wrong_in_fortran(tests, name, mpirun, number, given)
                runs += 1
                complaints += [wrong] if wrong else []
    print(f"  {len(scripts)} scripts, {runs} runs", flush=True)
    return complaints
