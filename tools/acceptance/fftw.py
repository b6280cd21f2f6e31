"""FFTW's own check of its MPI transforms: its check.pl draws problems, and its mpi-bench verifies each.

Its interface in Fortran, for which it has no check, is called by fftw_waves.F90, where waves become numbers that are known.

A transform is right if it is linear, if an impulse gives what it must, and if a shift in time gives one in phase. The
planner measures, so that it comes to the ways that FFTW has to transpose. Globals of the program are each rank's own.
"""
import os
import pathlib
import re
import subprocess

import modes
from debian_source import build_once

# Perl's random numbers begin with a seed, so that the same problems can be had again.
CHECK = "srand(shift); do shift; die $@ if $@;"
# By name: options of check.pl, and how many times it draws; each draw is up to ten problems.
PARTS = {
    "transforms": (["--count={}"], 10),
    "transforms by two threads a rank": (["--count={}", "--nthreads=2"], 3),
    "wisdom that ranks gather and broadcast": (["--count={}", "--validate-wisdom"], 2),
}
LIMIT = 1200  # seconds a part
WAVES = pathlib.Path(__file__).resolve().parent / "fftw_waves.F90"


def add_arguments(parser):
    parser.add_argument("--ranks", default="1,2,4,7", help="numbers of ranks to run it with")
    parser.add_argument("--seed", type=int, default=1, help="which problems are drawn")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds FFTW, mpi-bench and the program in Fortran with the prefix's compilers; returns the folder of the source."""
    mpicc = prefix / "bin/mpicc"
    source = build_once("fftw3", work, prefix, (
        (".", ["./configure", "--enable-mpi", "--enable-threads", "--disable-fortran", "--disable-doc", f"CC={mpicc}",
               f"MPICC={mpicc}", "CFLAGS=-O1"]),
        (".", ["make", f"-j{os.cpu_count()}"])))
    if (prefix / "bin/mpifort").exists():
        subprocess.run([prefix / "bin/mpifort", "-O1", "-Impi", "-Iapi", WAVES, "-o", "mpi/waves", "mpi/.libs/libfftw3_mpi.a", ".libs/libfftw3.a"],
                       cwd=source, check=True)
    return source


def _waves(mpiexec, program, ranks):
    """What is wrong with the transforms in Fortran."""
    result = subprocess.run(list(map(str, [*mpiexec, "-n", ranks, program])), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    right = result.returncode == 0 and result.stdout.strip() == "0 wrong"
    print(f"  in Fortran: {result.stdout.strip()[-200:]}", flush=True)
    return [] if right else [f"in Fortran: status {result.returncode}: {result.stdout[-1000:]}"]


def complaints_about(part, status, text):
    """`text`: the commands of check.pl, and a line of mpi-bench with three errors for each problem that it verified."""
    asked = re.findall(r"--verify '([^']+)'", text)
    verified = re.findall(r"^(\S+) [\d.e+-]+ [\d.e+-]+ [\d.e+-]+$", text, re.MULTILINE)
    print(f"  {part}: {len(verified)} of {len(asked)} problems verified", flush=True)
    if status == 0 and asked and asked == verified:
        return []
    return [f"{part}: {len(verified)} of {len(asked)} problems verified, status {status}: {text[-1000:]}"]


def run(source, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    complaints = []
    with modes.mpiexec(prefix, options) as mpiexec:
        for part, (words, count) in PARTS.items():
            (folder / "wis.dat").unlink(missing_ok=True)
            words = [word.format(1 if options.small else count) for word in words]
            bench = " ".join(map(str, [*mpiexec, "-n", ranks, source / "mpi/mpi-bench"]))
            # timeout ends what perl has started, too
            command = ["timeout", "-k", "10", str(LIMIT), "perl", "-e", CHECK, str(options.seed),
                       source / "tests/check.pl", "--verbose", "--random", "--maxsize=10000", "--mpi", *words, bench]
            result = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            (folder / f"{part.replace(' ', '-')}.txt").write_text(result.stdout)
            complaints += complaints_about(part, result.returncode, result.stdout)
        if (source / "mpi/waves").exists():
            complaints += _waves(mpiexec, source / "mpi/waves", ranks)
    return complaints
