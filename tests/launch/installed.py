"""An installed copy works wherever it was moved to."""
import os
import shutil
import subprocess
import sys

from table import Bench


CXX = """#include <mpi.h>
#include <iostream>
int main() {
  int rank, size, sum = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::cout << "sum " << sum << std::endl;
  MPI_Finalize();
}
"""


def main():
    bench = Bench(sys.argv)
    build = bench.bin.parent
    shutil.rmtree(bench.work)
    bench.work.mkdir()
    install = subprocess.run(["cmake", "--install", build, "--prefix", bench.work / "first"],
                             text=True, capture_output=True)
    bench.report("it installs", ["cmake failed"] if install.returncode else [], install.stderr)
    bench.bin = bench.work / "first/bin"
    bench.compile("ring")
    (bench.work / "ring").rename(bench.work / "older")
    (bench.work / "older.cpp").write_text(CXX)
    subprocess.run([bench.bin / "mpicxx", "-o", bench.work / "older_cxx", bench.work / "older.cpp"], check=True)
    (bench.work / "first").rename(bench.work / "moved")

    bench.bin = bench.work / "moved/bin"
    bench.report("man pages are there", [f"{name} is missing" for name in ("mpiexec.1", "mpirun.1", "mpicc.1", "mpicxx.1")
                                         if not (bench.work / "moved/share/man/man1" / name).is_file()])
    before = " ".join(bench.before_programs)
    for options in ("", "--processes 2", f"--ranks-as processes {before}"):
        bench.check((f"a program that was linked before the move, {options}", f"mpiexec -n 4 {options} ./older", 0, r"\Asum 6\n\Z", None))
        bench.check((f"one of C++, {options}", f"mpiexec -n 4 {options} ./older_cxx", 0, r"\Asum 6\n\Z", None))
    bench.check(("without mpiexec the dynamic linker says what is missing", "./older", 127, None, "libheddle_libc.so|libmpi_abi.so"))
    bench.check(("and LD_LIBRARY_PATH helps", f"env LD_LIBRARY_PATH={bench.bin.parent}/lib ./older", 0, r"\Asum 0\n\Z", None))
    bench.compile("ring")
    bench.check(("a program runs from there", "mpiexec -n 4 ./ring", 0, r"\Asum 6\n\Z", None))
    bench.check(("without mpiexec too", "./ring", 0, r"\Asum 0\n\Z", None))
    os.environ["PATH"] = f"{bench.bin}:{os.environ['PATH']}"
    bench.check(("found through PATH", "env mpiexec -n 2 ring", 0, r"\Asum 1\n\Z", None))
    bench.done()


main()
