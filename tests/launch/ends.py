"""What is under way when something ends arrives all the same, in each mode: (what is under way) x (what ends) x (mode).

programs/ends.c has both lists. Ends after which a rank lives on meet all that may be under way, one after the other in one job. The
others take a job each: of these each row of the first list meets one in each mode.
"""
import itertools
import sys

from ranks_as_processes import BY_NETWORK
from table import Bench

ONE_WORKER = "mpiexec --workers 1 -n 2"
MODES = [("mpiexec -n 2", {}), (ONE_WORKER, {}), ("mpiexec --ranks-as processes -n 2", {}), ("mpiexec --processes 2 -n 2", {}),
         ("mpiexec --ranks-as processes -n 2", BY_NETWORK), ("mpiexec --processes 2 -n 2", BY_NETWORK)]
DEADLOCK = "^all ranks of the job wait for each other"


class Table:
    def __init__(self, bench):
        self.bench = bench
        self.jobs = itertools.count()
        bench.compile("ends")
        kinds, ends = (line.split() for line in bench.run("./ends list").stdout.splitlines())
        self.kinds = kinds
        self.lasting = [end for end in ends if ":" not in end]
        self.last = [end.partition(":")[0] for end in ends if ":" in end]

    def play(self, kind, end, mode, options, status=0, stdout=r"\Aok\n\Z", stderr=None):
        number = next(self.jobs)
        for left in self.bench.work.glob(f"job{number}.*"):
            left.unlink()
        self.bench.check((f"{kind}, {end}, {mode} {options}", f"{mode} ./ends {kind} {end} job{number}", status, stdout, stderr,
                          {"timeout": 120, **options}))

    def check(self, modes):
        for place, (mode, options) in enumerate(modes):
            for end in self.lasting:
                self.play("all", end, mode, options)
            # A process that talks by a network parts from the others on its way out, which _exit is not.
            last = [end for end in self.last if options != BY_NETWORK or end != "_exit"]
            for number, kind in enumerate(self.kinds):
                self.play(kind, last[(number + place) % len(last)], mode, options)

    def check_never(self, modes):
        """What can never be is told, also where a rank, and its process, have ended with status 0."""
        for (mode, options), kind, end in itertools.product(modes, ("never_sent", "never_received"), ("return", "_exit")):
            call, stdout = {"never_sent": ("rank 1 in MPI_Recv", r"\A\Z"),
                            "never_received": ("rank 0 in MPI_Session_finalize", r"\Aok\n\Z")}[kind]
            self.play(kind, end, mode, options, 1, stdout, rf"{DEADLOCK}(.*\n)+? +{call} waits for ")


def main():
    bench = Bench(sys.argv)
    table = Table(bench)
    table.check(MODES)
    table.check_never(MODES[:4])
    bench.done()


if __name__ == "__main__":
    main()
