"""NetCDF-C's own parallel tests, upon parallel HDF5 and PnetCDF, which are built with it: files of arrays in three formats.

Run by its scripts run_par_test.sh, run_par_tests.sh and run_pnetcdf_tests.sh, with 1 to 16 ranks.
"""
import os
import subprocess

import hdf5
import modes
import pnetcdf
from debian_source import build_once
from noted_runs import NotedRuns

LIMIT = 600  # seconds a run
# By folder: the script, and how many runs it makes.
SCRIPTS = {"h5_test": ("run_par_tests.sh", 6), "nc_test4": ("run_par_test.sh", 18), "nc_test": ("run_pnetcdf_tests.sh", 9),
           "examples/C": ("run_par_test.sh", 1)}
WRONG = r"unexpected result|\bfailed\b|error at"
# Runs that fail for a reason outside of Heddle, by what their command matches.
LISTED = {}


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed", help="only as NetCDF lists them: 1 to 16")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, options):
    """Returns the folder of the source."""
    hdf5.library(work / "hdf5", prefix)
    pnetcdf.build(work / "pnetcdf", prefix, options)
    below = [work / "hdf5/installed", work / "pnetcdf/installed"]
    jobs = f"-j{os.cpu_count()}"
    off = ("shared", "dap", "nczarr", "byterange", "libxml2", "plugins", "filter-testing", "utilities", "hdf4", "doxygen")
    return build_once("netcdf", work, prefix, (
        (".", ["./configure", f"CC={prefix / 'bin/mpicc'}", "CFLAGS=-O1 -w", f"CPPFLAGS={' '.join(f'-I{path}/include' for path in below)}",
               f"LDFLAGS={' '.join(f'-L{path}/lib' for path in below)}", "LIBS=-lhdf5_hl -lhdf5 -lz -ldl -lm", "--enable-pnetcdf",
               "--enable-parallel-tests", f"--with-mpiexec={work / 'mpiexec'}", *[f"--disable-{name}" for name in off]]),
        (".", ["make", jobs]),
        *[(folder, ["sh", "-c", f"make {jobs} $(grep -oE '(^| )[.]/[a-z][a-z0-9_]*' {script} | tr -d './ ' | sort -u)"])
          for folder, (script, _) in SCRIPTS.items()]))


def run(source, folder, prefix, _ranks, options):
    """Returns what is wrong."""
    place, complaints = folder / options.mode, []
    with modes.mpiexec(prefix, options) as command:
        noted = NotedRuns(source.parent / "mpiexec", place, command, LIMIT, WRONG)
        for tests, (script, _) in SCRIPTS.items():
            with open(place / "scripts.log", "a") as log:
                status = subprocess.run(["sh", f"./{script}"], cwd=source / tests, env={**os.environ, "srcdir": "."}, stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=log).returncode
            if status:
                complaints.append(f"{tests}/{script}: status {status}; {log.name} says why")
    return complaints + noted.complaints(sum(count for _, count in SCRIPTS.values()), LISTED)
