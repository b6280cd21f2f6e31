"""The programs of examples/: the result is the same for every number of ranks and tiling, and advection's is what
its equations say, computed once more in Python."""
import math
import pathlib
import re
import subprocess
import sys

from table import Bench

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
TILINGS = ("blocks", "rows", "columns")
GRIDS = ((24, 24), (40, 11))
STEPS = {"heat": 2, "advection": 30}


def compile_example(bench, name):
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror", f"-I{EXAMPLES / 'grid'}", "-o",
                    bench.work / name, EXAMPLES / name / f"{name}.c", EXAMPLES / "grid/grid.c", "-lm"], check=True)


def concentration(x, y):
    def within(size, at_x, at_y):
        return abs(x - at_x) < size and abs(y - at_y) < size
    return 1 if within(0.2, 0.35, 0.4) and not within(0.08, 0.35, 0.4) else 0.6 if within(0.12, 0.75, 0.7) else 0


def advected(nx, ny, steps):
    """Checksum and time after so many steps."""
    across, along = range(nx), range(ny)
    c = [[concentration(x / nx, y / ny) for x in across] for y in along]
    now = 0.0
    for _ in range(steps):
        u = [math.cos(2 * math.pi * now) * math.sin(2 * math.pi * y / ny) for y in along]
        v = [math.sin(2 * math.pi * x / nx) for x in across]
        dt = 0.9 / max(nx * abs(u[y]) + ny * abs(v[x]) for y in along for x in across)

        def changed(x, y):
            left, right = c[y][x - 1], c[y][(x + 1) % nx]
            above, below = c[y - 1][x], c[(y + 1) % ny][x]
            along_x = u[y] * (c[y][x] - left if u[y] > 0 else right - c[y][x])
            along_y = v[x] * (c[y][x] - above if v[x] > 0 else below - c[y][x])
            return c[y][x] - dt * (nx * along_x + ny * along_y)

        c = [[changed(x, y) for x in across] for y in along]
        now += dt
    return sum((1 + x / nx + 2 * y / ny) * c[y][x] for y in along for x in across), now


def run(bench, name, grid, ranks, tiling):
    """Checksum and time (0 where there is none), or None; and all that it printed."""
    sides = f"-n {grid[0]}" if grid[0] == grid[1] else f"-nx {grid[0]} -ny {grid[1]}"
    result = bench.run(f"mpiexec -n {ranks} ./{name} {sides} -steps {STEPS[name]} -tiling {tiling}")
    text = result.stdout + result.stderr
    checksum = re.search(r"^checksum (\S+)$", result.stdout, re.MULTILINE)
    reached = re.search(r"to time (\S+)$", result.stdout, re.MULTILINE)
    if result.returncode or not checksum:
        return None, text
    return (float(checksum[1]), float(reached[1]) if reached else 0.0), text


def compare(bench, name, grid, wanted):
    for ranks in (1, 4, 7):
        for tiling in TILINGS:
            found, text = run(bench, name, grid, ranks, tiling)
            wanted = wanted or found
            same = found and math.isclose(found[0], wanted[0], rel_tol=1e-8) and abs(found[1] - wanted[1]) < 1e-5
            bench.report(f"{name}: {grid}, {ranks} ranks, {tiling}", [] if same else [f"not {wanted}"], text)


def main():
    bench = Bench(sys.argv)
    for name in STEPS:
        compile_example(bench, name)
    for grid in GRIDS:
        compare(bench, "advection", grid, advected(*grid, STEPS["advection"]))
        compare(bench, "heat", grid, None)
    bench.check(("more stripes than rows", "mpiexec -n 5 ./heat -n 4 -tiling rows", 1, None,
                 "^5 ranks so tiled need at least 1 x 5 points$"))
    bench.check(("which blocks do not need", "mpiexec -n 6 ./heat -n 4 -tiling blocks", 0, "^checksum", None))
    bench.check(("an unknown tiling", "mpiexec -n 2 ./advection -tiling row", 2, None, "-tiling TILING"))
    bench.done()


main()
