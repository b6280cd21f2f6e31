"""PnetCDF's own tests: files of arrays that all ranks write and read at once, in C and Fortran.

Its `make check` runs programs of one rank, its `make ptests` the same and more with 2 to 10 ranks, its examples and its benchmarks; what
they write is validated by PnetCDF's own reader of headers. Two thirds of its calls are collective, with views of subarrays.
"""
import os
import pathlib
import subprocess
import tempfile

import modes
from debian_source import build_once
from noted_runs import NotedRuns

LIMIT = 300  # seconds a run
# A program that finds errors may end with status 0 all the same.
WRONG = r"fail with|\bfail\b|^error|mismatch"
# Runs that fail for a reason outside of Heddle, by what their command matches.
LISTED = {r"/ncvalidator .*/bad_\w+[.]nc\d$": "the file is wrong, and its reader says so, as it must"}
# By part: what make is asked for, and the least number of runs.
PARTS = {"check": 100, "ptests": 400}
FOLDERS = ("test", "examples", "benchmarks")
SMALL = ("test/testcases", "test/nonblocking", "examples/C")


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed", help="only as PnetCDF lists them: 1 to 10")
    parser.add_argument("--only", choices=PARTS, help="one of its two parts")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds the library, its tools and all its tests with the prefix's compilers; returns the folder of the source."""
    jobs = f"-j{os.cpu_count()}"
    return build_once("pnetcdf", work, prefix, (
        (".", ["autoreconf", "-i"]),
        (".", ["./configure", f"--prefix={work / 'installed'}", f"--with-mpi={prefix}", "--disable-cxx", f"SEQ_CC={prefix / 'bin/mpicc'}", "CFLAGS=-O1 -w",
               "FFLAGS=-O1 -w -fallow-argument-mismatch", "FCFLAGS=-O1 -w -fallow-argument-mismatch"]),
        (".", ["make", jobs]),
        (".", ["make", jobs, "tests"]),
        (".", ["make", "install"])))


def run(source, folder, prefix, _ranks, options):
    """Returns what is wrong."""
    complaints = []
    mpiexec = source.parent / "mpiexec"
    # nf_test keeps names of 80 characters: it gets a short one of the folder.
    with modes.mpiexec(prefix, options) as command, tempfile.TemporaryDirectory() as temporary:
        short = pathlib.Path(temporary, "out")
        for part, least in PARTS.items():
            if options.only not in (None, part):
                continue
            files = folder / f"{part}-{options.mode}"
            noted = NotedRuns(mpiexec, files, command, LIMIT, WRONG)
            short.unlink(missing_ok=True)
            short.symlink_to(files)
            for place in SMALL if options.small else FOLDERS:
                with open(files / "make.log", "a") as log:
                    status = subprocess.run(["make", "-k", "-C", source / place, part, "XFAIL_TESTS=", f"TESTSEQRUN={mpiexec} -n 1", f"TESTMPIRUN={mpiexec} -n NP",
                                             f"TESTOUTDIR={short}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
                if status:
                    complaints.append(f"make {part} in {place}: status {status}; {log.name} says why")
            complaints += noted.complaints(1 if options.small else least, LISTED)
    return complaints
