"""mpiexec --stats: what the table says is what the program says that it did, and times that can be."""
import re
import sys

from table import Bench

RANK = re.compile(r"^ *(\d+) +([\d.]+) +([\d.]+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$", re.M)
WORKER = re.compile(r"^ *([\d.]+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)$", re.M)
SAYS = re.compile(r"^rank (\d+) calls (\d+) sent (\d+) (\d+) received (\d+) (\d+)$", re.M)


def check_program(bench, options, workers, environment=None):
    """`workers`: how many there must be in the table."""
    line = f"mpiexec --stats {options} ./figures 20"
    result = bench.run(line, env=environment)
    wrong = [] if result.returncode == 0 else [f"exit status {result.returncode}"]
    said = sorted(tuple(map(int, words)) for words in SAYS.findall(result.stdout))
    rows = RANK.findall(result.stderr)
    counted = [(int(r[0]), int(r[3]), *map(int, r[5:])) for r in rows]
    if not said or counted != said:
        wrong.append(f"the table has {counted}, but the ranks said {said}")
    for rank, in_mpi, waiting, _, waits, *_ in rows:
        if float(waiting) > float(in_mpi):
            wrong.append(f"rank {rank} waits for {waiting} s of {in_mpi} s in MPI")
        if len(rows) > 1 and int(waits) == 0:
            wrong.append(f"rank {rank} never waits")
    names = [row[0] for row in WORKER.findall(result.stderr)]
    if names != workers:
        wrong.append(f"the table has the workers {names}, not {workers}")
    bench.report(f"--stats {options}", wrong, f"$ {line}\n{result.stdout}{result.stderr}")


def check_busy(bench):
    """One rank computes, the other one waits for it: so do their workers."""
    result = bench.run("mpiexec --stats --workers 2 -n 2 ./waited_for")
    (_, busy0, idle0, *_), (_, busy1, idle1, *_) = WORKER.findall(result.stderr)
    ranks = RANK.findall(result.stderr)
    wrong = []
    if not float(busy0) > 0.2 > float(idle0):
        wrong.append("worker 0 is not busy all the time")
    if not float(idle1) > 0.2 > float(busy1):
        wrong.append("worker 1 is not idle")
    if not (float(ranks[0][2]) < 0.2 < float(ranks[1][2])):
        wrong.append("it is not rank 1 that waits")
    bench.report("busy and idle workers", wrong, result.stdout + result.stderr)


def main():
    bench = Bench(sys.argv)
    bench.compile("figures", "waited_for")
    check_program(bench, "--workers 2 -n 4", ["0", "1"])
    check_program(bench, "--workers 1 -n 3", ["0"])
    check_program(bench, "--workers 2 -n 1", ["0", "1"])
    check_program(bench, "--processes 2 --workers 1 -n 5", ["0.0", "1.0"])
    check_program(bench, "--ranks-as processes -n 3", [])
    check_busy(bench)
    bench.check(("without --stats there is no table", "mpiexec -n 2 ./figures 1", 0, "^rank 0", None))
    bench.check(("HEDDLE_STATS asks for it, too", "mpiexec -n 2 ./figures 1", 0, "^rank 0", "in MPI s",
                 {"env": {"HEDDLE_STATS": "yes"}}))
    bench.done()


main()
