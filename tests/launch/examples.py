"""The programs of examples/: the result is the same for every number of ranks and tiling, and advection's is what its
scheme says, computed once more in Python. That this scheme is of second order is shown by a smooth field and where the flow takes it."""
import math
import pathlib
import re
import subprocess
import sys

from table import Bench

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
TILINGS = ("blocks", "rows", "columns")
GRIDS = ((24, 24), (40, 17))
STEPS = {"heat": 2, "advection": 30}
ROUNDING = 1e-12


def compile_example(bench, name):
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror", f"-I{EXAMPLES / 'grid'}", "-o",
                    bench.work / name, EXAMPLES / name / f"{name}.c", EXAMPLES / "grid/grid.c", "-lm"], check=True)


def concentration(x, y):
    def within(size, at_x, at_y):
        return abs(x - at_x) < size and abs(y - at_y) < size
    return 1 if within(0.2, 0.35, 0.4) and not within(0.08, 0.35, 0.4) else 0.6 if within(0.12, 0.75, 0.7) else 0


def limited(before, behind):
    return 2 * before * behind / (before + behind) if before * behind > 0 else 0


def carried(line, part):
    """A periodic line after a flow along it by `part` of the distance of two points."""
    if part < 0:
        return carried(line[::-1], -part)[::-1]
    rises = [value - line[i - 1] for i, value in enumerate(line)]
    slopes = [limited(rise, rises[(i + 1) % len(line)]) for i, rise in enumerate(rises)]
    return [value - part * (rises[i] + (1 - part) / 2 * (slopes[i] - slopes[i - 1])) for i, value in enumerate(line)]


def transposed(field):
    return [list(line) for line in zip(*field)]


def swell(time):
    return math.cos(2 * math.pi * time)


def advected(nx, ny, steps, begin, longest=1.0):
    """Field and time after so many steps, each of three sweeps: half a step along y, one along x, half of one along y. The program
    makes the last of a step and the first of the next in one."""
    c = [[begin(x / nx, y / ny) for x in range(nx)] for y in range(ny)]
    u = [math.sin(2 * math.pi * y / ny) for y in range(ny)]
    v = [math.sin(2 * math.pi * x / nx) for x in range(nx)]
    now = last = 0.0

    def along_y(field, time):
        return transposed([carried(line, time * ny * v[x]) for x, line in enumerate(transposed(field))])

    for _ in range(steps):
        dt = min(longest, 0.9 / max(max(abs(nx * swell(now) * speed) for speed in u), max(abs(ny * speed) for speed in v)))
        c = along_y(c, (last + dt) / 2)
        c = [carried(line, dt * nx * swell(now + dt / 2) * u[y]) for y, line in enumerate(c)]
        now += dt
        last = dt
    return along_y(c, last / 2), now


def checksum(field):
    ny, nx = len(field), len(field[0])
    return sum((1 + x / nx + 2 * y / ny) * field[y][x] for y in range(ny) for x in range(nx))


def smooth(x, y):
    return 1 + math.sin(2 * math.pi * x) * math.cos(2 * math.pi * y) / 2


def came_from(x, y, time, steps=32):
    """Where the flow has brought what is at this point from: Runge and Kutta's way, backwards in time."""
    def speed(x, y, at):
        return swell(at) * math.sin(2 * math.pi * y), math.sin(2 * math.pi * x)

    h = -time / steps
    for i in range(steps):
        at = time + i * h
        a = speed(x, y, at)
        b = speed(x + h / 2 * a[0], y + h / 2 * a[1], at + h / 2)
        c = speed(x + h / 2 * b[0], y + h / 2 * b[1], at + h / 2)
        d = speed(x + h * c[0], y + h * c[1], at + h)
        x, y = (p + h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]) for i, p in enumerate((x, y)))
    return x, y


def mean_error(n):
    """Of a smooth field at time 1/4 on a grid of n x n points."""
    field, time = advected(n, n, n // 2, smooth, longest=1 / (2 * n))
    return sum(abs(field[y][x] - smooth(*came_from(x / n, y / n, time))) for y in range(n) for x in range(n)) / n ** 2


def check_order(bench):
    errors = [mean_error(n) for n in (32, 64)]
    order = math.log2(errors[0] / errors[1])
    bench.report("half the distance of points: advection's error is a quarter", [] if order > 1.8 else [f"order {order:.2f}: {errors}"])


def run(bench, name, grid, ranks, tiling):
    """Checksum, time (0 where there is none) and picture, or None; and all that it printed."""
    sides = f"-n {grid[0]}" if grid[0] == grid[1] else f"-nx {grid[0]} -ny {grid[1]}"
    result = bench.run(f"mpiexec -n {ranks} ./{name} {sides} -steps {STEPS[name]} -tiling {tiling} -o picture.pgm")
    text = result.stdout + result.stderr
    found = re.search(r"^checksum (\S+)$", result.stdout, re.MULTILINE)
    reached = re.search(r"to time (\S+)$", result.stdout, re.MULTILINE)
    if result.returncode or not found:
        return None, text
    return (float(found[1]), float(reached[1]) if reached else 0.0, (bench.work / "picture.pgm").read_bytes()), text


def compare(bench, name, grid, wanted, picture=None):
    """`wanted`: checksum and time, or None: the first run's. No rank's point may differ from what one rank has computed, where each
    point is computed in the same way: heat sums over ranks, and rounds."""
    for ranks in (1, 4, 7):
        for tiling in TILINGS:
            found, text = run(bench, name, grid, ranks, tiling)
            wanted = wanted or found
            picture = picture or (found and found[2])
            wrong = []
            if not found or not math.isclose(found[0], wanted[0], rel_tol=1e-8) or abs(found[1] - wanted[1]) > 1e-5:
                wrong.append(f"{found and found[:2]}, not {wanted[:2] if wanted else 'a result'}")
            elif name == "advection" and found[2] != picture:
                wrong.append("another picture than with one rank")
            bench.report(f"{name}: {grid}, {ranks} ranks, {tiling}", wrong, text)
    return picture


def main():
    bench = Bench(sys.argv)
    for name in STEPS:
        compile_example(bench, name)
    check_order(bench)
    for grid in GRIDS:
        field, time = advected(*grid, STEPS["advection"], concentration)
        picture = compare(bench, "advection", grid, (checksum(field), time))
        low, high = map(float, re.search(rb"# (\S+) (\S+)", picture or b"# -1 2").groups())
        bench.report(f"advection: {grid}, no new extrema", [] if low >= -ROUNDING and high <= 1 + ROUNDING else [f"values from {low} to {high}"])
        compare(bench, "heat", grid, None)
    bench.check(("more stripes than rows", "mpiexec -n 5 ./heat -n 4 -tiling rows", 1, None,
                 "^5 ranks so tiled need at least 1 x 5 points$"))
    bench.check(("stripes of fewer rows than a halo has", "mpiexec -n 5 ./advection -n 9 -tiling rows", 1, None,
                 "^5 ranks so tiled need at least 2 x 10 points$"))
    bench.check(("which blocks do not need", "mpiexec -n 6 ./heat -n 4 -tiling blocks", 0, "^checksum", None))
    bench.check(("an unknown tiling", "mpiexec -n 2 ./advection -tiling row", 2, None, "-tiling TILING"))
    bench.done()


main()
