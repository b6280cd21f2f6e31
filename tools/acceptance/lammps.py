"""LAMMPS, a molecular dynamics code: its own benchmarks, whose energies its authors have published.

A hundred steps of 32,000 atoms: a fluid, a metal, chains in a solvent, and a protein with long-range forces, for which ranks exchange
a grid and transform it. Globals of the program are each rank's own.
"""
import os
import re
import subprocess

import modes
from debian_source import build_once

PACKAGES = ("molecule", "manybody", "kspace", "rigid")
# By benchmark: the total energy after 100 steps in the authors' logs (bench/log.6Oct16.* of the project), the relative error that another
# order of sums may cause, and the ranks for which it holds: in `chain` each rank draws random numbers of its own.
ENERGIES = {"lj": (-4.6223613, 1e-7, None), "eam": (-106640.77, 1e-7, None), "chain": (22.397872, 1e-7, 4),
            "rhodo": (-25290.7386, 1e-5, None)}
SMALL = ("lj", "eam")
LIMIT = 900  # seconds a run


def add_arguments(parser):
    parser.add_argument("--ranks", default="1,2,4,7", help="numbers of ranks to run it with")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds LAMMPS with the prefix's mpicxx, which takes a quarter of an hour; returns the folder of the source."""
    mpicxx = prefix / "bin/mpicxx"
    return build_once("lammps", work, prefix, (
        ("src", ["make", *(f"yes-{package}" for package in PACKAGES)]),
        ("src", ["make", f"-j{os.cpu_count()}", "mpi", f"CC={mpicxx}", f"LINK={mpicxx}", "CCFLAGS=-O1 -std=c++11 -w"])))


def last_energy(text):
    """Of a log: a table with the column TotEng, or lines that name it; None if there is neither."""
    named = re.findall(r"TotEng\s+=\s+(\S+)", text)
    table = re.findall(r"^\s+100((?:\s+-?[\d.e+]+){5})\s*$", text, re.MULTILINE)
    if named:
        return float(named[-1])
    return float(table[-1].split()[3]) if table else None


def run(source, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    complaints = []
    with modes.mpiexec(prefix, options) as mpiexec:
        for name, (expected, error, only_for) in ENERGIES.items():
            if (options.small and name not in SMALL) or only_for not in (None, int(ranks)):
                continue
            command = ["timeout", "-k", "10", str(LIMIT), *mpiexec, "-n", ranks, source / "src/lmp_mpi", "-in", f"in.{name}",
                       "-log", "none"]
            result = subprocess.run(list(map(str, command)), cwd=source / "bench", stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            (folder / f"{name}.txt").write_text(result.stdout)
            energy = last_energy(result.stdout)
            print(f"  {name}: {energy}, published {expected}", flush=True)
            if result.returncode or energy is None or abs(energy - expected) > error * abs(expected):
                complaints.append(f"{name}: energy {energy}, not {expected}; status {result.returncode}: {result.stdout[-1000:]}")
    return complaints
