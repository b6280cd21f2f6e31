"""Parallel HDF5's own tests (testpar): datasets that ranks write together, chunks, filters, metadata caches, calls of more than 2 GiB.

Its driver for MPI is called with views of types as its selections give them, and collective calls of metadata in between. A program
that finds errors ends with another status than 0 or says that something FAILED.
"""
import os
import subprocess

import modes
from debian_source import build_once
from noted_runs import NotedRuns

LIMIT = 1800  # seconds a run
WRONG = r"FAILED|tests detected"
PROGRAMS = ("t_mpi", "testphdf5", "t_cache", "t_cache_image", "t_pread", "t_pshutdown", "t_prestart", "t_init_term", "t_shapesame",
            "t_filters_parallel", "t_bigio", "t_pflush1", "t_pflush2")
SMALL = ("t_mpi", "t_pshutdown", "t_prestart", "t_init_term", "t_pflush1", "t_pflush2")
MUST_FAIL = ("t_pflush1",)  # leaves without MPI_Finalize; t_pflush2 looks what it has left
# Runs that fail for a reason outside of Heddle, by what their command matches.
LISTED = {}


def add_arguments(parser):
    parser.add_argument("--ranks", default="3", help="numbers of ranks; HDF5's own default is 6")
    parser.add_argument("--only", default=",".join(PROGRAMS), help="the programs that run, by names with commas between")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def library(work, prefix):
    """Builds and installs the library, without C++ and Fortran, with the prefix's mpicc; returns the folder of the source."""
    jobs = f"-j{os.cpu_count()}"
    return build_once("hdf5", work, prefix, (
        (".", ["./configure", f"--prefix={work / 'installed'}", "--enable-parallel", "--disable-shared", "--disable-fortran", "--disable-cxx",
               "--enable-build-mode=production", f"CC={prefix / 'bin/mpicc'}", "CFLAGS=-O1 -w"]),
        *[(folder, ["make", jobs, "install"]) for folder in ("src", "hl/src")]))


def build(work, prefix, _options):
    """Returns the folder of the programs."""
    source = library(work, prefix)
    with open(work / "build.log", "a") as log:
        for folder, targets in (("test", ["libh5test.la"]), ("testpar", PROGRAMS)):
            subprocess.run(["make", f"-j{os.cpu_count()}", "-C", source / folder, *targets], stdout=log, stderr=log, check=True)
    return source / "testpar"


def run(programs, folder, prefix, ranks, options):
    """Returns what is wrong."""
    place = folder / options.mode
    wanted = SMALL if options.small else options.only.split(",")
    environment = {**os.environ, "srcdir": ".", "HDF5_ALARM_SECONDS": str(LIMIT), **({"HDF5TestExpress": "2"} if options.small else {})}
    with modes.mpiexec(prefix, options) as command:
        noted = NotedRuns(folder / "mpiexec", place, command, LIMIT, WRONG)
        for name in wanted:
            link = place / name  # t_cache_image starts itself by its name, without a folder
            link.unlink(missing_ok=True)
            link.symlink_to(programs / name)
            subprocess.run([folder / "mpiexec", "-n", ranks, programs / name], cwd=place, env=environment, stdout=subprocess.DEVNULL)
    must_fail = {rf"/{name}$": "leaves without MPI_Finalize, as it must" for name in MUST_FAIL}
    return noted.complaints(len(wanted), {**LISTED, **must_fail})
