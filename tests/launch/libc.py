"""What a rank has of libc, in ways that need mpiexec."""
import subprocess
import sys

from table import Bench


def rows():
    yield ("first calls need no lock of the dynamic linker", "mpiexec -n 2 --workers 2 ./first_calls ./first_calls.so", 0,
           r"\A(ok\n){2}\Z", None, {"timeout": 60})


def main():
    bench = Bench(sys.argv)
    bench.compile("first_calls")
    subprocess.run([bench.bin / "mpicc", "-DPLUGIN", "-shared", "-fPIC", "-o", bench.work / "first_calls.so",
                    bench.programs / "first_calls.c"], check=True)
    for row in rows():
        bench.check(row)
    bench.done()


if __name__ == "__main__":
    main()
