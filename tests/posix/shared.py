"""Locks that processes share: between ranks, and between ranks and the children that they have forked.

    shared.py BIN WORK
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

LOCKS = ["condition", "semaphore", "barrier", "mutex", "rwlock", "spin", "timed"]


def ok(ranks):
    return rf"\A(ok\n){{{ranks}}}\Z"


def rows():
    for workers in (1, 2):
        for what in LOCKS + ["named"]:
            yield (f"between ranks: {what}, --workers {workers}",
                   f"mpiexec -n 7 --workers {workers} ./shared_locks ranks {what} 20", 0, ok(7), None)
        for what in LOCKS:
            yield (f"between ranks and children: {what}, --workers {workers}",
                   f"mpiexec -n 3 --workers {workers} ./shared_locks children {what} 20", 0, ok(3), None)
        for what in ("returns", "exits", "sleeps", "child", "waiter", "thread"):
            yield (f"a robust mutex has a next owner: {what}, --workers {workers}",
                   f"mpiexec -n 2 --workers {workers} ./robust {what}", 0, ok(1), None, {"timeout": 60})
    # Workers that are given away after 20 ms would need minutes.
    yield ("between many ranks", "mpiexec -n 64 --workers 1 ./shared_locks ranks condition 5", 0, ok(64), None, {"timeout": 120})


def waits_without_work(bench):
    """The kernel's count of sleeps is the oracle: 15 ranks that look again every millisecond would have 7500."""
    result = bench.run("mpiexec -n 16 --workers 1 ./shared_locks ranks idle 1")
    words = result.stdout.split()
    wrong = [] if words.count("ok") == 16 and int(words[words.index("sleeps") + 1]) < 1000 else ["they work"]
    bench.report("ranks that wait do not look again", wrong, result.stdout + result.stderr)


def main():
    bench = Bench(sys.argv)
    for name in ("shared_locks", "robust"):
        subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-o", bench.work / name,
                        HERE / "programs" / f"{name}.c"], check=True)
    for row in rows():
        bench.check(row)
    waits_without_work(bench)
    bench.done()


main()
