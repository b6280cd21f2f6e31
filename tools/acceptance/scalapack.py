"""ScaLAPACK's own tests in Fortran, with those of its message layer, the BLACS, and of its parallel BLAS.

Each program says which of its calls were right: compared with BLAS and LAPACK on one rank, or by the residual.
"""
import os
import pathlib
import re
import subprocess
import sys

import modes
from git_source import fetch_commit

REPOSITORY, COMMIT = "Reference-ScaLAPACK/scalapack", "25935e1a7e022ede9fd71bd86dcbaa7a3f1846b7"  # 2.2.2
LIMIT = 1200  # seconds a run
BLACS = ("xFbtest", "xCbtest")
PBLAS = tuple(f"{kind}pb{level}tst" for kind in "sdcz" for level in "123")
# Equations: general, banded, tridiagonal, positive definite, inverses, least squares; factors; eigenvalues; singular values.
OF_ALL = ("lu", "dblu", "dtlu", "gblu", "llt", "pbllt", "ptllt", "inv", "qr", "ls", "brd", "hrd", "trd", "sep", "gsep", "nep")
OF_REAL, OF_COMPLEX = ("svd", "syevr", "hseqr"), ("heevr", "evc")
# Its inverses of Hermitian matrices by their lower triangles are wrong with one rank and the reference BLAS, too.
WRONG_THEMSELVES = ("xzinv",)
SOLVERS = tuple(f"x{kind}{what}" for kind in "sdcz" for what in OF_ALL + (OF_REAL if kind in "sd" else OF_COMPLEX)
                if f"x{kind}{what}" not in WRONG_THEMSELVES)
SMALL = (*BLACS, "dpb1tst", "dpb2tst", "zpb1tst", "xdlu", "xdllt", "xdqr", "xdtrd")


def add_arguments(parser):
    parser.add_argument("--ranks", default="4,8", help="numbers of ranks; their grids have up to 8 processes")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose names it matches, e.g. 'x[FC]btest'")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def _asked(options):
    return [name for name in (SMALL if options.small else (*BLACS, *PBLAS, *SOLVERS)) if re.match(options.only, name)]


def build(work, prefix, options, targets=None):
    """Builds the library and the programs, or `targets`, with the compilers that CMake finds the prefix for; returns the folder."""
    work.mkdir(parents=True, exist_ok=True)
    folder = fetch_commit(REPOSITORY, COMMIT, work, options.sources) / f"build-{str(prefix).strip('/').replace('/', '-')}"
    environment = {**os.environ, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}"}
    configure = ["cmake", "-S", "..", "-B", ".", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -w",
                 "-DCMAKE_Fortran_FLAGS_RELEASE=-O1 -w -fallow-argument-mismatch", "-DSCALAPACK_BUILD_TESTS=ON", "-DLAPACK_LIBRARIES=-lopenblas", "-DBLAS_LIBRARIES=-lopenblas"]
    folder.mkdir(exist_ok=True)
    print(f"building ScaLAPACK with {prefix / 'bin'}", flush=True)
    with open(work / "build.log", "w") as log:
        for command in ([] if (folder / "build.ninja").exists() else [configure]) + [["ninja", *(targets or _asked(options))]]:
            if subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
                sys.exit(f"{' '.join(command)} failed: see {log.name}")
    return folder


def wrong_in(name, status, text):
    """What the output of a program says is wrong, or nothing; and how many checks were right."""
    if name in BLACS:  # their last test ends the job, by BLACS_ABORT
        rows = re.findall(r"(\d+) PASSED, +\d+ SKIPPED, +(\d+) FAILED", text)
        right, failed = (sum(int(row[column]) for row in rows) for column in (0, 1))
        right += len(re.findall(r"^ *PASSED ", text, re.MULTILINE))
        failed += len(re.findall(r"^ *FAILED ", text, re.MULTILINE))
        return None if right and not failed and "DONE BLACS_GRIDEXIT" in text else f"{failed} failed, status {status}", right
    if name in PBLAS:
        rows = re.findall(r"^ +\S +P\w+ +(\d+) +(\d+) +(\d+) +(\d+)$", text, re.MULTILINE)  # total, passed, failed, skipped
        right, failed = (sum(int(row[column]) for row in rows) for column in (1, 2))
        return None if status == 0 and right and not failed else f"{failed} failed, status {status}", right
    right, failed = ([int(n) for n in re.findall(rf"(\d+) tests completed and {what} residual checks", text)] for what in ("passed", "failed"))
    if not right:  # complex eigenvalues
        right = [int(n) for n in re.findall(r"(\d+) tests (?:completed|passed)", text)]
    if not right:  # singular values, and the QR algorithm, have no sums
        rows = re.findall(r"^(\w+) *[-+.E\d]+ +\d+ +\d+ .* [PTN]$|^ +\d+ +\d+ +\d+ +\d+ .* ([A-Z]+)$", text, re.MULTILINE)
        passed = ["".join(row).upper() == "PASSED" for row in rows]
        right, failed = [passed.count(True)], [passed.count(False)]
    return None if status == 0 and sum(right) and not sum(failed) else f"{failed} failed, status {status}", sum(right)


def run(folder, place, prefix, ranks, options):
    """Returns what is wrong. The programs read their input from the folder that they are in."""
    place.mkdir(parents=True, exist_ok=True)
    complaints = []
    shared = [] if options.mode == "processes" else ["--share-library", "libopenblas"]
    with modes.mpiexec(prefix, options) as mpiexec:
        for name in _asked(options):
            inputs = folder / ("BLACS/TESTING" if name in BLACS else "PBLAS/TESTING" if name in PBLAS else "TESTING")
            program = folder / ("PBLAS/TESTING" if name in PBLAS else "TESTING") / name
            log = place / f"{name}-{options.mode}.txt"
            # A pipe, since into a file lines come in pieces, and BLACS_ABORT ends the job ahead of the last. OPENBLAS_NUM_THREADS: a pool of
            # threads for each rank would only stand in the way.
            command = ["timeout", "-k", "10", str(LIMIT), *mpiexec, *shared, "-n", ranks, program]
            result = subprocess.run(list(map(str, command)), cwd=inputs, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                    errors="replace", stderr=subprocess.STDOUT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
            log.write_text(result.stdout)
            wrong, right = wrong_in(name, result.returncode, result.stdout)
            print(f"  {name}: {wrong or f'{right} checks'}", flush=True)
            complaints += [f"{name}: {wrong}: see {log}"] if wrong else []
    return complaints
