"""Instructions and cache misses of an operation's references, in valgrind's model of one core with its caches.

    simulation.py PATH/collector_bench      prints two lines: 'instructions N' and 'misses N'

The policy is HEDDLE_LIFETIME's. Two lengths are run and their difference is taken, so starting does not count. The model knows one
core only: it does not show what policies differ in most, the lines that cores take from each other.
"""
import re
import subprocess
import sys

OPERATIONS = 1_000_000  # of a thread in an iteration of collector_bench


class Failed(Exception):
    """One sentence."""


def counts(bench, iterations):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", bench, "--benchmark_filter=^operation/1/",
               f"--benchmark_repetitions={iterations}", "--benchmark_min_time=0", "--benchmark_format=json"]
    try:
        done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    except OSError:
        raise Failed("there is no valgrind to simulate caches with") from None
    numbers = [re.search(rf"{what}:\s+([\d,]+)", done.stderr) for what in (r"I\s+refs", r"D1\s+misses")]
    if done.returncode or None in numbers:
        raise Failed(f"cachegrind: {done.stderr[-300:]}")
    return [int(number[1].replace(",", "")) for number in numbers]


def simulate(bench):
    """Instructions and misses of the first cache for an operation."""
    few, more = counts(bench, 1), counts(bench, 3)
    return [(b - a) / (2 * OPERATIONS) for a, b in zip(few, more)]


if __name__ == "__main__":
    try:
        instructions, misses = simulate(sys.argv[1])
    except Failed as problem:
        sys.exit(str(problem))
    print(f"instructions {instructions:.2f}\nmisses {misses:.4f}")
