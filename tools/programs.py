"""Compiles and runs the programs in examples/ with some MPI; used by the demo and the comparison."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
GRID_PROGRAMS = ("heat", "advection")
FLAGS = ["-O3", "-march=native", "-fopenmp-simd"]  # sums in another order need the last one for vector instructions
CHECKSUM_TOLERANCE = 1e-10  # sums over other numbers of ranks round differently


def compile_grid_program(mpicc, name, target, env=None):
    grid = EXAMPLES / "grid"
    subprocess.run([*mpicc, *FLAGS, f"-I{grid}", "-o", target, EXAMPLES / name / f"{name}.c",
                    grid / "grid.c", "-lm"], check=True, env=env)


class Result:
    """What a grid program printed at its end."""

    def __init__(self, output):
        def number(name):
            return float(re.search(rf"^{name} (\S+)$", output, re.MULTILINE)[1])

        self.seconds = number("seconds")
        self.checksum = number("checksum")
        self.memory_kib = number("memory_kib")

    def agrees_with(self, other):
        return abs(self.checksum - other.checksum) <= CHECKSUM_TOLERANCE * abs(other.checksum)
