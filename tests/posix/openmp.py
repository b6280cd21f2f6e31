"""Programs of `mpicc -fopenmp`: teams are right in every rank, and the job ends.

    openmp.py BIN WORK
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

WAYS = ["--workers 1", "--workers 2", "--workers 2 --posix-threads kernel", "--ranks-as processes"]


def build(bench, name, words=(), library="llvm"):
    subprocess.run([bench.bin / "mpicc", *words, "-O1", "-g", "-fopenmp", "-o", bench.work / name,
                    HERE / "programs" / "openmp.c"], check=True, env={**os.environ, "HEDDLE_OPENMP": library})


def main():
    bench = Bench(sys.argv)
    names = ["openmp", "openmp_gnu"]
    build(bench, "openmp")
    build(bench, "openmp_gnu", library="gnu")
    if shutil.which("clang-14"):
        build(bench, "openmp_clang", ["-cc=clang-14", "-L/usr/lib/llvm-14/lib"])
        names.append("openmp_clang")
    for name in names:
        for way in WAYS:
            for how in ("", " exit"):
                bench.check((f"{name}{how}, {way}", f"mpiexec -n 4 {way} ./{name}{how}", 0, r"\A(ok\n){4}\Z", None))
    bench.done()


main()
