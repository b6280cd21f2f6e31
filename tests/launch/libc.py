"""What a rank has of libc, in ways that need mpiexec."""
import collections
import subprocess
import sys

from table import Bench


def rows():
    yield ("first calls need no lock of the dynamic linker", "mpiexec -n 2 --workers 2 ./first_calls ./first_calls.so", 0,
           r"\A(ok\n){2}\Z", None, {"timeout": 60})
    yield ("other ranks do not get rank 0's input", "mpiexec -n 3 ./input_of_others", 0,
           r"\A(0 0 0, /dev/null, ready 1\n){2}rank 0 got 20\n\Z", None, {"stdin": "0123456789" * 2})
    yield ("descriptors in destructors that run after their rank", "mpiexec -n 2 ./outlived", 0, r"\A\Z", None)
    yield ("a rank that ends by number ends alone", "mpiexec -n 2 ./ended_by_number", 7, r"\Arank 1 goes on\n\Z", None)
    yield ("what the compiler finds is in the rank's lines", "mpiexec -n 1 -l ./smashed", 134, None,
           r"^\[0\] \*\*\* stack smashing detected \*\*\*: terminated$")


def redirected(bench):
    """After dup2 every call acts on what the rank has there: as in a process, which is the oracle."""
    wanted = collections.Counter(bench.run("./redirected").stdout.splitlines())
    for ranks, options in ((1, ""), (3, "--workers 1"), (3, "--workers 2"), (2, "-l")):
        line = f"mpiexec -n {ranks} {options} ./redirected"
        result = bench.run(line)
        lines = [text.partition("] ")[2] if "-l" in options else text for text in result.stdout.splitlines()]
        got = collections.Counter(lines)
        wrong = [f"{text!r}: {got[text]} times, not {ranks * wanted[text]}"
                 for text in sorted(got | wanted) if got[text] != ranks * wanted[text]]
        bench.report(f"what a rank has redirected, {ranks} ranks {options}", wrong, f"$ {line}\n{result.stderr[-2000:]}")


def main():
    bench = Bench(sys.argv)
    bench.compile("first_calls", "redirected", "input_of_others", "outlived", "ended_by_number")
    bench.compile("smashed", flags=["-fstack-protector-all"])
    subprocess.run([bench.bin / "mpicc", "-DPLUGIN", "-shared", "-fPIC", "-o", bench.work / "first_calls.so",
                    bench.programs / "first_calls.c"], check=True)
    for row in rows():
        bench.check(row)
    redirected(bench)
    bench.done()


if __name__ == "__main__":
    main()
