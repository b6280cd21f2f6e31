"""mpiexec --balance moves ranks where loads are uneven; without it they stay.

The program goes on until a rank was moved. So a row that fails is one that reaches its time limit.
"""
import sys

from table import Bench

ROWS = [
    ("uneven loads: ranks move", "mpiexec --workers 2 --balance -n 16 ./uneven", 0, "^moved$", None, {"timeout": 120}),
    ("without the option they stay", "mpiexec --workers 2 -n 16 ./uneven 200", 0, "^stayed$", None),
    ("one worker has nothing to even out", "mpiexec --workers 1 --balance -n 4 ./uneven 50", 0, "^stayed$", None),
    ("two processes: each moves its own", "mpiexec --processes 2 --workers 2 --balance -n 32 ./uneven", 0, "^moved$", None,
     {"timeout": 240}),
    ("it needs time slices", "mpiexec --balance -n 2 ./uneven 1", 1, None, "--balance needs time slices",
     {"env": {"HEDDLE_TIME_SLICE": "0"}}),
    ("ranks that are processes have no workers", "mpiexec --ranks-as processes --balance -n 2 ./uneven 1", 2, None,
     "argument --balance is for ranks that are threads"),
]


def main():
    bench = Bench(sys.argv)
    bench.compile("uneven")
    for row in ROWS:
        bench.check(row)
    bench.done()


main()
