#!/usr/bin/env python3
"""Counts instructions of what programs do most (counted.c, under callgrind), beside the table of today (counts.txt).

    ./dev instructions              builds build/release, counts and compares
    ./dev instructions --write      writes the table

Fails if something costs more than 2 % more than the table says. Then find out why (bench/p2p/instructions.py lists functions);
a commit that has to make it dearer changes the table, and its text says so. One that makes it cheaper by more than 2 % changes
the table, too, or the next one could be as dear as before: that fails as well.

It counts in the release build, which users run: a debug build has assertions, and switches at random places. All ranks
are on one worker without time slices, so a count is the same each time to a hundredth of a percent, on a busy machine,
too. The start is the same to a third of a percent: it contains the reading of /proc and the order of addresses.
Another processor may take other functions of libc (memcpy), another Debian another dynamic linker: the table is of one machine.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "counts.txt"
RANKS = 16
TOLERANCE = 0.02
HEAD = """# Instructions of the release build, 16 ranks on one worker (counts.py). Written by ./dev instructions --write.
"""


def parts(prefix, directory):
    """(name, times, instructions) of each part that counted.c tells."""
    program = os.path.join(directory, "counted")
    out = os.path.join(directory, "out")
    subprocess.run([f"{prefix}/bin/mpicc", "-O2", "-o", program, HERE / "counted.c"], check=True)
    told = subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", "--dump-before=part", f"--callgrind-out-file={out}",
                           f"{prefix}/bin/mpiexec", "--workers", "1", "-n", str(RANKS), program],
                          check=True, env=dict(os.environ, HEDDLE_TIME_SLICE="0"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, timeout=300).stdout
    for number, line in enumerate(told.splitlines(), start=1):
        name, times = line.rsplit(":", 1)
        dump = pathlib.Path(f"{out}.{number}").read_text(encoding="utf-8", errors="replace")
        yield name, int(times), int(re.search(r"^totals: (\d+)", dump, re.MULTILINE).group(1))


def counts(all_parts):
    """Instructions each time, by name: the difference of two lengths; of what is told once, all."""
    found, shorter = {}, {}
    for name, times, instructions in all_parts:
        if name in shorter:
            before, those = shorter[name]
            found[name] = (instructions - those) / (times - before)
        elif name:
            shorter[name] = (times, instructions)
            found[name] = float(instructions)
    return found


def read_table(text):
    rows = (line.rsplit(None, 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name.strip(): float(count) for name, count in rows}


def write_table(found):
    return HEAD + "".join(f"{name:24} {count:12.1f}\n" for name, count in found.items())


def judge(found, table):
    """Lines that tell the counts beside the table's, and those of them that must not be."""
    lines, wrong = [], []
    for name in sorted(found.keys() | table.keys(), key=lambda name: list(found).index(name) if name in found else len(found)):
        if name not in table or name not in found:
            line = f"{name}: {'not in the table' if name in found else 'in the table only'}"
            wrong.append(line)
        else:
            change = found[name] / table[name] - 1
            line = f"{name:24} {found[name]:12.1f} {table[name]:12.1f} {change:+8.2%}"
            if abs(change) > TOLERANCE:
                wrong.append(f"{name} costs {abs(change):.1%} {'more' if change > 0 else 'less'} instructions than tests/instructions/counts.txt says")
        lines.append(line)
    return lines, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default="build/release")
    parser.add_argument("--write", action="store_true", help="write the table")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: valgrind is missing, so nothing is counted; install it (tools/dev/packages.sh names it)")
        return 0
    with tempfile.TemporaryDirectory() as directory:
        found = counts(parts(arguments.prefix, directory))
    if arguments.write:
        TABLE.write_text(write_table(found), encoding="utf-8")
        return 0
    if not TABLE.exists():
        print(write_table(found) + "There is no table yet: --write makes it.")
        return 0
    lines, wrong = judge(found, read_table(TABLE.read_text(encoding="utf-8")))
    print(f"{'':24} {'now':>12} {'table':>12} {'change':>8}")
    print("\n".join(lines))
    for line in wrong:
        print(f"Error: {line}")
    if wrong:
        print("If the commit means that, ./dev instructions --write changes the table, and its text says why.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
