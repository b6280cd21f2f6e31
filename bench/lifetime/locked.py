"""Locked instructions and all instructions of a message (batches.c), by callgrind, which counts both.

    locked.py predefined|derived|single PREFIX    prints two lines: 'locked N' and 'instructions N'
    locked.py predefined|derived counts PREFIX    prints 'counts N': the locked ones over those of a library without references

The policy is HEDDLE_LIFETIME's. An atomic count is a locked instruction: it takes a cache line for its core alone. Both ranks are on one worker, two lengths are run, and their difference is taken; so the
numbers are the same on a busy machine.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, RANKS, BATCH = (50, 250), 2, 12


class Failed(Exception):
    """One sentence."""


def run(words, **more):
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)
    except OSError:
        raise Failed(f"there is no {words[0]} to count with") from None
    if done.returncode:
        raise Failed(f"{pathlib.Path(words[0]).name}: {done.stderr.strip()[-300:]}")


def totals(prefix, program, words, out, policy):
    """(instructions, locked ones) of all processes of a run."""
    run(["valgrind", "--tool=callgrind", "--collect-bus=yes", "--trace-children=yes", f"--callgrind-out-file={out}.%p", prefix / "bin/mpiexec",
         "--workers", "1", "-n", RANKS, program, *words], env={**os.environ, "HEDDLE_TIME_SLICE": "0", "HEDDLE_LIFETIME": policy})
    sums = [0, 0]
    for dump in out.parent.glob(f"{out.name}.*"):
        found = re.search(r"^totals: (\d+) (\d+)", dump.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        dump.unlink()
        if found:
            sums = [have + int(more) for have, more in zip(sums, found.groups())]
    return sums


def count(prefix, objects, policy):
    """Locked instructions, and all, of a message."""
    with tempfile.TemporaryDirectory() as folder:
        program, out = pathlib.Path(folder, "batches"), pathlib.Path(folder, "out")
        run([prefix / "bin/mpicc", "-O2", "-o", program, HERE / "batches.c"])
        words = [] if objects == "predefined" else [objects]
        few, many = (totals(prefix, program, [rounds, *words], out, policy) for rounds in ROUNDS)
    messages = (ROUNDS[1] - ROUNDS[0]) * RANKS * BATCH
    instructions, locked = ((b - a) / messages for a, b in zip(few, many))
    return locked, instructions


def main(kind, *words):
    prefix, policy = pathlib.Path(words[-1]), os.environ.get("HEDDLE_LIFETIME", "collector")
    locked, instructions = count(prefix, kind, policy)
    if "counts" in words:
        print(f"counts {max(0, locked - count(prefix, kind, 'none')[0]):.2f}")
    else:
        print(f"locked {locked:.2f}\ninstructions {instructions:.0f}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Failed as problem:
        sys.exit(str(problem))
