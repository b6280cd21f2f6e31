"""Jobs on pretended hosts (tests/support/pretended_hosts.h): programs of mpicc, as they are, in ranks of several hosts."""
import sys

from table import Bench

THREE = {"env": {"HEDDLE_TEST_HOSTS": "3"}}
MPI_ERR_OTHER = 16

ROWS = [
    ("one host unless asked for more", "mpiexec -n 8 ./nodes", 0, r"\Anodes 1, sum 28\n\Z", None),
    ("three hosts, a node each", "mpiexec -n 8 ./nodes", 0, r"\Anodes 3, sum 28\n\Z", None, THREE),
    ("as others lay them out", "mpiexec -n 8 ./nodes", 0, r"\Anodes 2, sum 28\n\Z", None,
     {"env": {"HEDDLE_TEST_HOSTS": "4", "HEDDLE_TEST_HOSTS_A_NODE": "2", "HEDDLE_TEST_LAYOUT": "round_robin"}}),
    ("no more hosts than ranks", "mpiexec -n 2 ./nodes", 0, r"\Anodes 2, sum 1\n\Z", None, THREE),
    ("ranks of several programs count", "mpiexec ./nodes : -n 2 ./nodes", 0, r"\Anodes 3, sum 3\n\Z", None, THREE),
    ("with one worker", "mpiexec -n 8 --workers 1 ./nodes", 0, r"\Anodes 3, sum 28\n\Z", None, THREE),
    ("where packets are delayed and refused", "mpiexec -n 8 ./ring", 0, r"\Asum 28\n\Z", None,
     {"env": {"HEDDLE_TEST_HOSTS": "3", "HEDDLE_TEST_FAULTS": "7"}}),
    ("the status of a rank is the job's", "mpiexec -n 4 ./leave return 2 17", 17, None, "", THREE),
    *[("sessions without MPI_Init", f"mpiexec -n 5 ./sessions{when}", 0, r"\Aok\n\Z", None, THREE) for when in ("", " late", " after")],
    ("an error ends all hosts", "mpiexec -n 3 ./errors", MPI_ERR_OTHER, None, "called before MPI_Init", THREE),
]


def main():
    bench = Bench(sys.argv)
    bench.compile("nodes", "ring", "leave", "errors", "sessions")
    for row in ROWS:
        bench.check(row)
    bench.done()


if __name__ == "__main__":
    main()
