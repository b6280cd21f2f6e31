"""NAS Parallel Benchmarks in Fortran and C: eight kernels and solvers, which verify what they compute.

`--peer` runs them with another MPI, too, in turns, and tells how long each took: medians of the rounds.
"""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import modes
from git_source import fetch_commit

REPOSITORY, COMMIT, FOLDER = "lmontigny/NPB3.4.1", "a6b8b8dbddc8e8ba72fa20994b652651e9782201", "NPB3.4.1/NPB3.4-MPI"
NAMES = ("bt", "cg", "ep", "ft", "is", "lu", "mg", "sp")
SQUARES = ("bt", "sp")  # these take a square of ranks, the others a power of two
LIMIT = 1200  # seconds a run
OURS, PEER = "ranks", "peer"
# Their mpif.h has no interfaces, so gfortran must be told that buffers have any type.
SETTINGS = """
MPIFC = {bin}/mpif90
FLINK = $(MPIFC)
FFLAGS = -O3 -w -fallow-argument-mismatch
FLINKFLAGS = $(FFLAGS)
MPICC = {bin}/mpicc
CLINK = $(MPICC)
CFLAGS = -O3 -w
CLINKFLAGS = $(CFLAGS)
CC = gcc
BINDIR = ../bin
RAND = randi8
"""


def add_arguments(parser):
    parser.add_argument("--ranks", default="4,16", help="numbers of ranks; BT and SP take squares of them")
    parser.add_argument("--classes", default="S,W", help="sizes of the problems, by NPB's names")
    parser.add_argument("--only", default=",".join(NAMES), metavar="NAME,...", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    parser.add_argument("--peer", type=pathlib.Path, metavar="PREFIX", help="of another MPI with bin/mpif90, mpicc, mpiexec")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def _build_once(source, copy, prefix, options):
    """The folder of the programs, built in a copy of the source."""
    asked = [(name, size) for name in options.only.split(",") for size in ("S" if options.small else options.classes).split(",")]
    stamp, settings = copy / "built-with", SETTINGS.format(bin=prefix / "bin")
    if not (stamp.exists() and stamp.read_text() == settings):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source / FOLDER, copy)
        (copy / "bin").mkdir(exist_ok=True)
        (copy / "config/make.def").write_text(settings)
        stamp.write_text(settings)
    with open(copy / "build.log", "a") as log:
        for name, size in asked:
            if (copy / f"bin/{name}.{size}.x").exists():
                continue
            print(f"building {name.upper()}, class {size}, with the compilers of {prefix / 'bin'}", flush=True)
            if subprocess.run(["make", name, f"CLASS={size}"], cwd=copy, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
                sys.exit(f"make {name} CLASS={size} failed: see {log.name}")
    return copy / "bin"


def build(work, prefix, options):
    """Returns the folder of the programs by what they were built with."""
    if unknown := set(options.only.split(",")) - set(NAMES):
        sys.exit(f"there is no {', '.join(sorted(unknown))}")
    work.mkdir(parents=True, exist_ok=True)
    source = fetch_commit(REPOSITORY, COMMIT, work, options.sources)
    prefixes = {OURS: prefix} | ({PEER: options.peer.resolve()} if options.peer else {})
    return {kind: _build_once(source, work / kind, place, options) for kind, place in prefixes.items()}


def _seconds(command, log):
    """How long a benchmark says that it took, and what is wrong with the run."""
    with open(log, "w") as output:
        try:
            status = subprocess.run(list(map(str, command)), cwd=log.parent, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    timeout=LIMIT).returncode
        except subprocess.TimeoutExpired:
            status = None
    text = log.read_text(errors="replace")
    speed = re.search(r"Mop/s total +=\s+([\d.]+)", text)
    if status != 0 or not re.search(r"Verification +=\s+SUCCESSFUL", text) or not speed:
        return None, f"status {status}: {text[-1000:]}"
    return float(speed[1]), None


def _can_run(name, ranks):
    return round(ranks ** 0.5) ** 2 == ranks if name in SQUARES else ranks & (ranks - 1) == 0


def run(built, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    complaints, runs = [], 0
    with modes.mpiexec(prefix, options) as mpiexec:
        commands = {OURS: mpiexec, PEER: [options.peer and options.peer / "bin/mpiexec"]}
        for program in sorted(path.name for path in built[OURS].glob("*.x")):
            name, size, _ = program.split(".")
            if name not in options.only.split(",") or size not in options.classes.split(",") or not _can_run(name, int(ranks)):
                continue
            speeds = {kind: [] for kind in built}
            for round_number in range(options.rounds):
                for kind, programs in built.items():
                    log = folder / f"{program}-{kind}-{options.mode}-{round_number}.txt"
                    speed, wrong = _seconds([*commands[kind], "-n", ranks, programs / program], log)
                    runs += 1
                    speeds[kind].append(speed or 0)
                    complaints += [f"{name.upper()}, class {size}, {kind}: {wrong}"] if wrong else []
            medians = {kind: statistics.median(found) for kind, found in speeds.items()}
            said = ", ".join(f"{kind} {median:.0f} Mop/s" for kind, median in medians.items())
            more = f", {medians[OURS] / medians[PEER]:.2f} of the peer's" if medians.get(PEER) else ""
            print(f"  {name.upper()}, class {size}: {said}{more}", flush=True)
    if not runs:
        complaints.append("nothing was run")
    return complaints
