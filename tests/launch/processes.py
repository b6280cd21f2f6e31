"""A rank is a process in what its program sees of itself: the state of its processor, its descriptors, what it has
printed, and its end by a signal."""
import subprocess
import sys

from table import Bench


def compile_floats(bench):
    """Once with the code that looks at flags in the program, once with it in a plugin."""
    source = bench.programs / "floats.c"
    for output, options in (("floats", ["-DWITH_LOOK"]), ("floats_by_plugin", []),
                            ("floats.so", ["-DWITH_LOOK", "-DPLUGIN", "-shared", "-fPIC"])):
        subprocess.run([bench.bin / "mpicc", "-O1", "-g", *options, "-o", bench.work / output, source, "-lm"], check=True)


def rows():
    for workers in (1, 2):
        for program in ("floats", "floats_by_plugin {work}/floats.so"):
            yield (f"flags and traps of floating point are a rank's own: {program.split()[0]}, {workers} workers",
                   f"mpiexec -n 4 --workers {workers} ./{program}", 0, r"\A(0 wrong\n){4}\Z", None)


def main():
    bench = Bench(sys.argv)
    compile_floats(bench)
    for row in rows():
        shows, line, *rest = row
        bench.check((shows, line.replace("{work}", str(bench.work)), *rest))
    bench.done()


main()
