"""Programs with a library on the profiling interface (MPI 5.0 §15) that is linked before MPI's: each rank has its own."""
import subprocess
import sys

from table import Bench

COUNTED = (r"\A(?=(?s:.*)^rank 0: 1 init, 0 send, 2 recv, 1 allreduce$)(?=(?s:.*)^rank 1: 1 init, 1 send, 0 recv, 1 allreduce$)"
           r"(?=(?s:.*)^rank 2: 1 init, 2 send, 1 recv, 1 allreduce$)(?:rank .*\n){3}\Z")
ALONE = r"\Arank 0: 1 init, 0 send, 0 recv, 1 allreduce\n\Z"


def main():
    bench = Bench(sys.argv)
    mpicc, profile, program = bench.bin / "mpicc", bench.programs / "profile.c", bench.programs / "profiled.c"

    def make(*command):
        subprocess.run(command, cwd=bench.work, check=True)

    make(mpicc, "-shared", "-fPIC", "-o", "libprofile.so", profile, "-Wl,-soname,libprofile.so")
    make(mpicc, "-c", "-o", "profile.o", profile)
    make("ar", "rcs", "libarchive.a", "profile.o")
    for name, options in (("shared", ["-L.", "-lprofile", "-Wl,-rpath,$ORIGIN"]), ("archive", ["-L.", "-larchive"]),
                          ("object", ["profile.o"])):
        make(mpicc, "-o", name, program, *options)
        bench.check((f"a profiling library as {name} sees the calls of its rank", f"mpiexec -n 3 ./{name}", 0, COUNTED, None))
        bench.check((f"and without mpiexec, as {name}", f"./{name}", 0, ALONE, None))
    bench.done()


main()
