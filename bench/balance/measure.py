"""What mpiexec --balance gains: `./dev bench balance`.

Prints the table of docs/bench-notes/balance.md. The four runs take turns in every round; figures are medians, ratios are of the same
round. The ideal is the same work spread evenly over the ranks. The work of the busiest worker is counted, not measured: it holds on a
machine that does other things, too.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RUNS = (("even", False), ("one", False), ("one", True), ("moving", False), ("moving", True))


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench balance", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--microseconds", type=int, default=400, help="of a unit of work")
    parser.add_argument("--prefix", default=ROOT / "build/release", type=pathlib.Path, help="where bin/mpiexec is")
    return parser.parse_args()


def run(options, program, loads, balances):
    command = [options.prefix / "bin/mpiexec", "-n", options.ranks, *(["--balance"] if balances else []), program, loads,
               options.steps, options.microseconds]
    output = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=True).stdout
    seconds, share = re.match(r"([\d.]+) s, busiest worker ([\d.]+)", output).groups()
    return float(seconds), float(share)


def main():
    options = read_options()
    programs = ROOT / "build/bench/balance"
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / "uneven"
    source = pathlib.Path(__file__).with_name("uneven.c")
    subprocess.run([options.prefix / "bin/mpicc", "-O2", "-o", program, source], check=True)
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    found = {each: [] for each in RUNS}
    for _ in range(options.rounds):
        for each, values in found.items():
            values.append(run(options, program, *each))
    print("| loads | | seconds | to the same without --balance | busiest worker's work, of an even share |")
    print("|---|---|---|---|---|")
    for (loads, balances), values in found.items():
        before = found[loads, False]
        ratio = statistics.median(b[0] / v[0] for b, v in zip(before, values))
        print(f"| {loads} | {'--balance' if balances else ''} | {statistics.median(v[0] for v in values):.3f} | "
              f"{f'{ratio:.2f} times faster' if balances else ''} | {statistics.median(v[1] for v in values):.3f} |")
    for name, balances in (("with --balance", True), ("without", False)):
        ideal = statistics.median(v[0] / e[0] for v, e in zip(found["one", balances], found["even", False]))
        print(f"\none rank with 4 times the work, {name}: {ideal:.2f} times the ideal")


main()
