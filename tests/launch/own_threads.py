"""The library's own kernel threads inherit nothing of the user's limits and the program's threads (base/platform/own_thread.h).

    own_threads.py BIN WORK
"""
import sys

from table import Bench

SMALLEST = "prlimit --stack=262144:262144"  # what docs/guide/running.md names as the smallest


def main():
    bench = Bench(sys.argv)
    bench.compile("own_threads", "stacks")
    for name in ("heddle-monitor", "heddle-spares", "heddle-signals", "heddle-poll"):
        bench.check((f"{name} has attributes of its own", "mpiexec -n 4 --workers 1 ./own_threads", 0, rf"\A(?!.*(only|may use))(?s:.*)^{name}$", None))
    bench.check(("of an MPI process", "mpiexec -n 2 --ranks-as processes ./own_threads", 0, r"\A(?!(?s:.*)(only|may use))(?s:.*)^ok$", None))
    for way in ("", "--workers 1", "--balance", "--posix-threads kernel", "--ranks-as processes"):
        for turn in range(4):
            bench.check((f"the smallest stack, {way}, {turn}", f"{SMALLEST} {bench.bin}/mpiexec -n 4 {way} ./stacks", 0,
                         r"\A(ok\n){4}\Z", None))
    bench.done()


main()
