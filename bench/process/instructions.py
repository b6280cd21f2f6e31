#!/usr/bin/env python3
"""How many instructions a rank's malloc with free, lock with unlock, and read that waits cost: `calls` under callgrind.

As bench/p2p/instructions.py: two lengths, and the difference, with two ranks on one worker.

  bench/process/instructions.py                   build/release
  bench/process/instructions.py --prefix DIR
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "p2p"))
from instructions import costs_of, tell  # noqa: E402

RANKS = 2
WHATS = {"malloc": (10000, 30000), "lock": (10000, 30000), "read": (200, 600)}


def cost(prefix, what, program, times, directory):
    out = os.path.join(directory, f"{what}.{times}")
    subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={out}", f"{prefix}/bin/mpiexec",
                    "--workers", "1", "-n", str(RANKS), program, what, str(times)],
                   check=True, env=dict(os.environ, HEDDLE_TIME_SLICE="0"), stderr=subprocess.DEVNULL)
    return costs_of(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default="build/release")
    parser.add_argument("--least", type=float, default=5, help="list functions from so many on")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "calls")
        subprocess.run([f"{arguments.prefix}/bin/mpicc", "-O2", "-w", "-o", program, HERE / "calls.c"], check=True)
        for what, (few, many) in WHATS.items():
            before, after = (cost(arguments.prefix, what, program, times, directory) for times in (few, many))
            tell(what, before, after, RANKS * (many - few), arguments.least)


if __name__ == "__main__":
    main()
