"""An installed copy works wherever it was moved to."""
import os
import shutil
import subprocess
import sys

from table import Bench


def main():
    bench = Bench(sys.argv)
    build = bench.bin.parent
    shutil.rmtree(bench.work)
    bench.work.mkdir()
    install = subprocess.run(["cmake", "--install", build, "--prefix", bench.work / "first"],
                             text=True, capture_output=True)
    bench.report("it installs", ["cmake failed"] if install.returncode else [], install.stderr)
    (bench.work / "first").rename(bench.work / "moved")

    bench.bin = bench.work / "moved/bin"
    bench.report("man pages are there", [f"{name} is missing" for name in ("mpiexec.1", "mpicc.1", "mpicxx.1")
                                         if not (bench.work / "moved/share/man/man1" / name).is_file()])
    bench.compile("ring")
    bench.check(("a program runs from there", "mpiexec -n 4 ./ring", 0, r"\Asum 6\n\Z", None))
    bench.check(("without mpiexec too", "./ring", 0, r"\Asum 0\n\Z", None))
    os.environ["PATH"] = f"{bench.bin}:{os.environ['PATH']}"
    bench.check(("found through PATH", "env mpiexec -n 2 ring", 0, r"\Asum 1\n\Z", None))
    bench.done()


main()
