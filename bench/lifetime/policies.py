"""The lifetime policies beside each other, with as many threads as there are cores: `./dev bench policies`.

Prints tables for docs/bench-notes/lifetimes.md. Policies take turns in every round, and ratios are of the same round, so that a
machine that changes its speed does not decide. Cache misses come from the processor's counters where perf can read
them. Where it cannot, cachegrind gives instructions and misses of one thread; it knows one core only, so it does not
show what policies differ in most, the lines that cores take from each other.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import counters

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
POLICIES = ("atomic", "predefined", "collector", "none")
OPERATIONS = 1_000_000  # of a thread in an iteration of collector_bench


class Failed(Exception):
    pass


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench policies", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each program in each round")
    parser.add_argument("--threads", help="e.g. 1,2,4; default: powers of two up to the number of cores")
    parser.add_argument("--prefix", default=ROOT / "build/release", type=pathlib.Path, help="where bin/mpiexec is")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    try:
        counts = options.threads.split(",") if options.threads else [2 ** i for i in range(cores.bit_length())]
        options.threads = [int(count) for count in counts]
    except ValueError:
        parser.error("--threads wants numbers with commas between them, e.g. 1,2,4")
    if min(*options.threads, options.rounds) < 1 or options.seconds <= 0:
        parser.error("--threads, --rounds and --seconds want positive numbers")
    return options


def run(command, policy):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          env={**os.environ, "HEDDLE_LIFETIME": policy})
    if done.returncode:
        raise Failed(f"HEDDLE_LIFETIME={policy} {' '.join(map(str, command))}\n"
                     f"ended with status {done.returncode}: {(done.stderr or done.stdout)[:500]}")
    return done.stdout


class Operations:
    """References of one operation (bench/lifetime/collector_bench.cpp); kernel threads that share two objects."""
    unit = "ns of CPU time"
    digits = 1

    def __init__(self, prefix, threads, seconds):
        self.name = f"an operation's references, {threads} threads"
        self.command = [prefix / "bench/lifetime/collector_bench", f"--benchmark_filter=^operation/{threads}/",
                        f"--benchmark_min_time={seconds}", "--benchmark_format=json"]
        self.threads = threads

    def benchmark(self, output):
        try:
            return json.loads(output)["benchmarks"][0]
        except (ValueError, LookupError):  # it says in words that nothing matches the filter
            raise Failed(f"collector_bench has no operation of {self.threads} threads") from None

    def value(self, output):
        return 1e9 / self.benchmark(output)["items_per_second"]

    def items(self, output, _seconds):
        return self.benchmark(output)["iterations"] * self.threads * OPERATIONS


class Program:
    """A program of bench/threads, whose rate is its first line of that quantity. Ranks have as many workers as
    threads."""
    unit = "million a second"
    digits = 3

    def __init__(self, prefix, programs, name, quantity, ranks, threads, words, seconds):
        self.name = f"{name} {words}, {threads} threads"
        self.command = [prefix / "bin/mpiexec", "-n", ranks, "--workers", threads, programs / name, "--threads",
                        threads, *words.split(), "--seconds", seconds, "--output", "json"]
        self.quantity = quantity

    def rate(self, output):
        for line in output.splitlines():
            entry = json.loads(line) if line.startswith("{") else {}
            if entry.get("quantity") == self.quantity:
                return entry["median"]
        raise Failed(f"{self.name} printed no {self.quantity}:\n{output[:500]}")

    def value(self, output):
        return self.rate(output) / 1e6

    def items(self, output, seconds):
        return self.rate(output) * seconds


def all_measures(options, prefix, programs):
    for threads in options.threads:
        yield Operations(prefix, threads, options.seconds)
        for objects in ("predefined", "derived"):
            yield Program(prefix, programs, "neighbor_rate", "message rate", threads + 1, threads,
                          f"--objects {objects}", options.seconds)
        for kind in ("comm-used", "type-used"):
            yield Program(prefix, programs, "object_churn", "objects", 1, threads, f"--kind {kind}", options.seconds)


def compare(measures, rounds):
    found = {(measure, policy): [] for measure in measures for policy in POLICIES}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for (measure, policy), values in found.items():
            values.append(measure.value(run(measure.command, policy)))
    print(f"\nMedians [smallest, largest] of {rounds} interleaved rounds; the ratio is the median of the rounds' own.\n")
    print(f"| | {' | '.join(POLICIES)} | unit | collector to atomic |")
    print("|---" * (len(POLICIES) + 3) + "|")
    for measure in measures:
        def cell(policy, m=measure):
            values, d = found[m, policy], m.digits
            return f"{statistics.median(values):.{d}f} [{min(values):.{d}f}, {max(values):.{d}f}]"
        ratio = statistics.median(c / a for c, a in zip(found[measure, "collector"], found[measure, "atomic"]))
        print(f"| {measure.name} | {' | '.join(map(cell, POLICIES))} | {measure.unit} | {ratio:.3f} |")


def run_counted(event, command, policy):
    """What the program printed, how often the event happened, and in how many seconds."""
    done = subprocess.run([*counters.command(event), *map(str, command)], text=True, capture_output=True,
                          env={**os.environ, "HEDDLE_LIFETIME": policy})
    if done.returncode:
        raise Failed(f"perf stat: {done.stderr[:500]}")
    return done.stdout, *counters.counted(done.stderr, event)


def show_misses(measures, event):
    print(f"\nCache misses (`{event}`) for each operation, message or object, one run, the program's start included.\n")
    print(f"| | {' | '.join(POLICIES)} |")
    print("|---" * (len(POLICIES) + 1) + "|")
    for measure in measures:
        cells = []
        for policy in POLICIES:
            output, misses, seconds = run_counted(event, measure.command, policy)
            cells.append(f"{misses / measure.items(output, seconds):.2f}")
        print(f"| {measure.name} | {' | '.join(cells)} |")


def show_simulation(prefix):
    print(f"\n{counters.WHY_NOT}. Simulated for an operation's references of one thread, on one core (cachegrind):\n")
    print("| | instructions | misses of the first cache |")
    print("|---|---|---|")
    for policy in POLICIES:
        said = run([sys.executable, HERE / "simulation.py", prefix / "bench/lifetime/collector_bench"], policy)
        print(f"| {policy} | {' | '.join(line.split()[1] for line in said.splitlines())} |")


def main():
    options = read_options()
    prefix = options.prefix.resolve()
    programs = ROOT / "build/bench/policies"
    programs.mkdir(parents=True, exist_ok=True)
    subprocess.run(["make", "-s", "-C", ROOT / "bench/threads", f"MPICC={prefix / 'bin/mpicc'}", f"OUT={programs}"],
                   check=True)
    measures = list(all_measures(options, prefix, programs))
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    compare(measures, options.rounds)
    event = counters.usable_event()
    if event:
        show_misses(measures, event)
    elif shutil.which("valgrind"):
        show_simulation(prefix)
    else:
        print("\nNo counters of cache misses here (perf), and no valgrind to simulate them.")


if __name__ == "__main__":
    try:
        main()
    except (Failed, ValueError, subprocess.CalledProcessError) as problem:
        sys.exit(f"policies: {problem}")
