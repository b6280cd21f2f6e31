"""Instructions and cache misses of the grid programs a cell, by cachegrind's model of one core with its own two caches.

    misses.py advection|heat TASKS PREFIX     prints three lines: 'instructions N', 'first N' and 'second N' (misses of a cache)

For advection a cell and sweep, for heat a cell and iteration of its solver. All tasks are on one worker and share the cells of one of the
paper's cores: so a core's cache, which the model has, is where the tile of one task is or is not. Two lengths are run and their difference
is taken, so starting does not count, and the numbers are the same on a busy machine.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import programs  # noqa: E402

GRIDS = {"advection": (1000, 2000), "heat": (250, 500)}  # a core's: of two cores for advection, of the paper's 32 for heat
LENGTHS = {"advection": (2, 4), "heat": (1, 2)}
SWEEPS = 2  # of a step of advection
ITERATIONS = re.compile(r"(\d+) iterations")
CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")


class Failed(Exception):
    """One sentence."""


def run(words):
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)
    except OSError:
        raise Failed(f"there is no {words[0]} to count with") from None
    if done.returncode:
        raise Failed(f"{pathlib.Path(words[0]).name}: {done.stderr.strip()[-300:]}")
    return done.stdout


def cache(level, otherwise):
    """Of data, of this machine's first core: bytes, ways, bytes of a line."""
    for folder in CACHES.glob("index*"):
        def said(name):
            return (folder / name).read_text().strip()
        if said("level") == str(level) and said("type") != "Instruction":
            return f"{int(said('size').removesuffix('K')) * 1024},{said('ways_of_associativity')},{said('coherency_line_size')}"
    return otherwise


def counts(prefix, program, name, tasks, steps, out):
    """Instructions, misses of both caches, and sweeps or iterations."""
    width, height = GRIDS[name]
    words = ["-nx", width, "-ny", height, "-steps", steps, "-tiling", "rows"]
    said = run(["env", "HEDDLE_TIME_SLICE=0", "valgrind", "--tool=cachegrind", "--cache-sim=yes", "--trace-children=yes",
                f"--D1={cache(1, '32768,8,64')}", f"--LL={cache(2, '1048576,8,64')}", f"--cachegrind-out-file={out}.%p",
                prefix / "bin/mpiexec", "--workers", 1, "-n", tasks, program, *words])
    sums = [0, 0, 0]
    for dump in out.parent.glob(f"{out.name}.*"):
        text = dump.read_text(encoding="utf-8", errors="replace")
        dump.unlink()
        events, found = re.search(r"^events: (.*)$", text, re.MULTILINE), re.search(r"^summary: (.*)$", text, re.MULTILINE)
        if not events or not found:
            continue
        of = dict(zip(events[1].split(), map(int, found[1].split())))
        sums = [have + more for have, more in zip(sums, (of["Ir"], of["D1mr"] + of["D1mw"], of["DLmr"] + of["DLmw"]))]
    found = ITERATIONS.search(said)
    return [*sums, int(found[1]) if found else SWEEPS * steps]


def main(name, tasks, prefix):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, name)
        programs.compile_grid_program([pathlib.Path(prefix, "bin/mpicc")], name, program)
        few, many = (counts(pathlib.Path(prefix), program, name, tasks, steps, pathlib.Path(folder, "out")) for steps in LENGTHS[name])
    width, height = GRIDS[name]
    cells = width * height * (many.pop() - few.pop())
    for what, less, more in zip(("instructions", "first", "second"), few, many):
        print(f"{what} {(more - less) / cells:.4f}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failed as problem:
        sys.exit(str(problem))
