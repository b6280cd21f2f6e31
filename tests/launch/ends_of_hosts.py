"""The table of ends.py on pretended hosts."""
import sys

from ends import Table
from table import Bench

TWO = {"env": {"HEDDLE_TEST_HOSTS": "2"}}
FAULTS = {"env": {"HEDDLE_TEST_HOSTS": "2", "HEDDLE_TEST_FAULTS": "7"}}


def main():
    bench = Bench(sys.argv)
    table = Table(bench)
    table.check([("mpiexec -n 2", TWO), ("mpiexec -n 2", FAULTS)])
    table.check_never([("mpiexec -n 2", TWO)])
    bench.done()


main()
