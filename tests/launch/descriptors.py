"""Descriptors above 2 of a rank: whose they are, and who inherits them."""
import os
import sys

from table import Bench

RANKS = 4
USES = ["fork", "fork-closing", "spawn", "popen", "loop", "range", "from", "flags", "passed", "strange", "left"]
if "HEDDLE_TEST_PRELOAD" not in os.environ:  # AddressSanitizer does not know threads that are ults
    USES.append("beside")


def rows():
    for workers in (1, 2):
        for use in USES:
            yield (f"descriptors: {use}, {workers} workers",
                   f"mpiexec -n {RANKS} --workers {workers} ./descriptors {use}", 0, rf"\A(ok\n){{{RANKS}}}\Z", None)
        yield (f"descriptors of another rank are not replaced, {workers} workers",
               f"mpiexec -n {RANKS} --workers {workers} ./descriptors replacing", 0, rf"\A(ok\n){{{RANKS}}}\Z",
               r"^rank 1: dup2 onto \d+: this descriptor is open and not this rank's, since all ranks share one table of "
               r"descriptors; take a free number by dup or fcntl\(F_DUPFD\)$")
    # The oracle: the program's own expectations hold in a process without mpiexec.
    for use in USES:
        if use != "left":
            yield (f"descriptors of a process: {use}", f"./descriptors {use}", 0, r"\Aok\n\Z", None)


def main():
    bench = Bench(sys.argv)
    bench.compile("descriptors")
    for row in rows():
        bench.check(row)
    bench.done()


if __name__ == "__main__":
    main()
