"""Heaps of ranks beside glibc's malloc and beside mimalloc in a process of its own: `./dev bench heap`.

Prints the table of docs/bench-notes/heaps.md: processor time of a malloc and a free (blocks.c). The four ways take turns in every
round; figures are medians, ratios are of the same round. "Kernel threads" is the same program without MPI: as many kernel threads in
one process, with Debian's libmimalloc preloaded or without it.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = (("own", 1, "a rank frees what it has allocated"), ("ranks", 1, "the next rank frees it"),
         ("threads", 4, "another of 4 threads of the rank frees it"))
WAYS = ("ranks, glibc", "ranks, heaps of ranks", "kernel threads, glibc", "kernel threads, mimalloc")


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench heap", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--turns", type=int, default=100, help="of the program's loop, 2000 blocks each")
    parser.add_argument("--ranks", type=int, default=64, help="at most 64 have heaps of their own")
    parser.add_argument("--prefix", default=ROOT / "build/release", type=pathlib.Path, help="where bin/mpiexec is")
    return parser.parse_args()


def compiled(options):
    """The program for ranks and that for kernel threads."""
    folder, source = ROOT / "build/bench/heap", pathlib.Path(__file__).with_name("blocks.c")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.prefix / "bin/mpicc", "-O2", "-o", folder / "blocks", source], check=True)
    subprocess.run(["cc", "-O2", "-pthread", "-DPLAIN", "-o", folder / "blocks_plain", source], check=True)
    return folder / "blocks", folder / "blocks_plain"


def mimalloc():
    found = sorted(pathlib.Path("/usr/lib").glob("*/libmimalloc.so.2*"))
    return found[0] if found else sys.exit("libmimalloc.so.2 is needed (Debian: libmimalloc2.0)")


def commands(options, programs, whose, threads):
    """A command and its environment for each of WAYS."""
    words = [whose, threads, max(1, options.turns // threads)]
    for name in ("glibc", "mimalloc"):
        yield [options.prefix / "bin/mpiexec", "-n", options.ranks, "--malloc", name, programs[0], *words], {}
    for preloaded in ({}, {"LD_PRELOAD": str(mimalloc())}):
        yield [programs[1], *words, options.ranks], preloaded


def nanoseconds(command, environment):
    return float(subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True,
                                capture_output=True, check=True).stdout)


def main():
    options = read_options()
    programs = compiled(options)
    print(f"{options.ranks} ranks, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds. "
          "Nanoseconds of processor time.\n")
    print("| blocks |", " | ".join(WAYS), "| heaps of ranks: times as fast as glibc's in ranks | as mimalloc in kernel threads |")
    print("|---|" + "---|" * (len(WAYS) + 2))
    for whose, threads, meaning in CASES:
        rounds = [[nanoseconds(*one) for one in commands(options, programs, whose, threads)] for _ in range(options.rounds)]
        middle = [f"{statistics.median(column):.1f}" for column in zip(*rounds)]
        ratios = [statistics.median(one[other] / one[1] for one in rounds) for other in (0, 3)]
        print(f"| {meaning} |", " | ".join(middle), "|", " | ".join(f"{ratio:.2f}" for ratio in ratios), "|", flush=True)


main()
