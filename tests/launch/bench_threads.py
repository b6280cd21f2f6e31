"""The programs of bench/threads with our mpicc and mpiexec: each ends well with tiny problems, and what
it prints is what the report reads; wrong arguments are refused with one sentence."""
import pathlib
import re
import subprocess
import sys

from table import Bench

SUITE = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/threads"
sys.path.append(str(SUITE))
import results  # noqa: E402

PAIRS = "--pairs 2 --mode"
# ranks, program and options, what is measured
ROWS = [
    (2, "overhead --level single --sizes 0,70000", {"half round trip"}),
    (2, "overhead --level multiple --sizes 8", {"half round trip"}),
    (4, f"latency {PAIRS} processes --sizes 0,100", {"half round trip"}),
    (2, f"latency {PAIRS} threads --sizes 0,100", {"half round trip"}),
    (2, f"latency {PAIRS} threads --comms own --sizes 100", {"half round trip"}),
    (4, f"bandwidth {PAIRS} processes --sizes 1000,70000", {"bandwidth"}),
    (2, f"bandwidth {PAIRS} threads --sizes 1000,70000", {"bandwidth"}),
    (4, f"message_rate {PAIRS} processes --window 16", {"message rate"}),
    (2, f"message_rate {PAIRS} threads --window 16", {"message rate"}),
    (2, "short_long --senders none", {"short round trip", "each short round trip",
                                      "short round trip, mean"}),
    (4, "short_long --senders processes --long 100000", {"each short round trip", "long bandwidth"}),
    (3, "short_long --senders threads --long 100000", {"each short round trip", "long bandwidth"}),
    (2, "overlap --helper none --size 70000", {"communication alone", "computation alone", "both",
                                               "hidden"}),
    (3, "overlap --helper thread --size 1000", {"both", "hidden"}),
    (4, f"collectives {PAIRS} processes --sizes 8,1000", {"allreduce"}),
    (2, f"collectives {PAIRS} threads --sizes 8,1000", {"allreduce"}),
    (2, "collective_compute --threads 2 --size 16", {"allreduce", "allreduces", "computation rate"}),
    (3, "neighbor_rate --threads 2 --objects predefined", {"message rate"}),
    (3, "neighbor_rate --threads 2 --objects derived", {"message rate"}),
    *((2, f"match_depth --queue {queue} --order {order} --depths 1,7,300", {"time of a match"})
      for queue in ("posted", "unexpected") for order in ("in", "reversed", "random", "wildcard")),
    *((1, f"object_churn --threads 2 --kind {kind}", {"objects", "memory of a live object",
                                                      "memory kept of a freed object"})
      for kind in ("comm", "comm-used", "type", "type-used", "op", "group", "request")),
    (4, f"oversubscription {PAIRS} processes --work 1", {"exchanges", "computing share of the cores"}),
    (2, "oversubscription --pairs 8 --mode threads --work 1", {"exchanges"}),
]

REFUSED = [
    ("help", "mpiexec -n 2 ./latency --help", 0, r"\Alatency: .*\n(.*\n)*  --pairs ", None),
    ("an unknown option", "mpiexec -n 2 ./latency --pears 2", 2, None, r"\Alatency: [^\n]*--pears[^\n]*\n\Z"),
    ("a value that is none", "mpiexec -n 2 ./latency --pairs 0", 2, None, r"\Alatency: --pairs wants [^\n]*\n\Z"),
    ("a missing value", "mpiexec -n 2 ./latency --sizes", 2, None, r"\Alatency: --sizes wants [^\n]*\n\Z"),
    ("too few ranks", "./latency --pairs 2", 2, None, r"\Alatency: [^\n]* 2 ranks[^\n]*\n\Z"),
    ("too many ranks", "mpiexec -n 3 ./overhead", 2, None, r"\Aoverhead: [^\n]* 2 ranks[^\n]*\n\Z"),
]


def run_minimally(bench, ranks, words, quantities):
    line = f"mpiexec -n {ranks} ./{words} --seconds 0.002"
    result = bench.run(line)
    wrong = [f"exit status {result.returncode}"] if result.returncode else []
    if result.stderr:
        wrong.append("stderr is not empty")
    try:
        found = {entry["quantity"] for entry in results.parse(result.stdout)}
        if not quantities <= found:
            wrong.append(f"nothing on {', '.join(quantities - found)}")
    except (ValueError, KeyError) as problem:
        wrong.append(f"the report cannot read it: {problem}")
    bench.report(words, wrong, f"$ {line}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")


def main():
    bench = Bench(sys.argv)
    subprocess.run(["make", "-s", "-C", SUITE, f"MPICC={bench.bin / 'mpicc'}", f"OUT={bench.work}",
                    "CFLAGS=-O1 -g -Werror"], check=True)
    makefile = re.sub(r"\\\n", " ", (SUITE / "Makefile").read_text())
    programs = set(re.search(r"^PROGRAMS = (.*)$", makefile, re.MULTILINE)[1].split())
    tried = {words.split()[0] for _, words, _ in ROWS}
    bench.report("every program is tried", sorted(programs ^ tried))
    for row in ROWS:
        run_minimally(bench, *row)
    for row in REFUSED:
        bench.check(row)
    bench.done()


main()
