#!/usr/bin/env python3
"""How many instructions a message costs, and in which functions: `neighbors` under callgrind.

Runs it with two lengths and takes the difference, so that starting and ending do not count. All ranks
are on one worker. The number is the same on every machine and on a busy one: it needs no quiet machine.

  bench/p2p/instructions.py                           build/release, 16 ranks, 8 bytes
  bench/p2p/instructions.py --prefix DIR --ranks 64
"""
import argparse
import collections
import os
import re
import subprocess
import tempfile

NEIGHBORS = 4
SHORT, LONG = 100, 300  # iterations


def costs_of(path):
    """The instructions that each function has executed itself."""
    names, own = {}, collections.Counter()
    function, of_a_call = None, False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(("fn=", "cfn=")):
                number, name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line).groups()
                names.setdefault(number, name)
                if line.startswith("fn="):
                    function = names[number]
            elif line.startswith("calls="):
                of_a_call = True  # the next line is what the called function costs
            elif line[:1] in "+-*" or line[:1].isdigit():
                if not of_a_call:
                    own[function] += int(line.split()[1])
                of_a_call = False
    return own


def run(arguments, program, iterations, directory):
    out = os.path.join(directory, f"callgrind.{iterations}")
    environment = dict(os.environ, HEDDLE_TIME_SLICE="0")
    subprocess.run(
        ["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={out}",
         os.path.join(arguments.prefix, "bin", "mpiexec"), "--workers", "1", "-n",
         str(arguments.ranks), program, str(iterations), str(arguments.bytes)],
        check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return costs_of(out)


def short(name):
    return name.replace("heddle::", "").replace("(anonymous namespace)::", "")[:90]


def tell(what, before, after, times, least):
    """What one of so many `times` costs: the sum, and the functions from `least` on. By costs of a short run and of a long one."""
    own = {name: (cost - before[name]) / times for name, cost in after.items()}
    print(f"{sum(own.values()):7.0f}  {what}")
    for name, cost in sorted(own.items(), key=lambda item: -item[1]):
        if cost >= least:
            print(f"{cost:7.1f}  {short(name)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default="build/release")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--bytes", type=int, default=8)
    parser.add_argument("--least", type=float, default=5, help="list functions from so many on")
    arguments = parser.parse_args()

    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "neighbors.c")
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "neighbors")
        mpicc = os.path.join(arguments.prefix, "bin", "mpicc")
        subprocess.run([mpicc, "-O2", "-o", program, source], check=True)
        before = run(arguments, program, SHORT, directory)
        after = run(arguments, program, LONG, directory)

    messages = (LONG - SHORT) * arguments.ranks * NEIGHBORS
    tell("a message: Irecv, Isend and their share of Waitall", before, after, messages, arguments.least)


if __name__ == "__main__":
    main()
