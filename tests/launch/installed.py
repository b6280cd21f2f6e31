"""An installed copy works wherever it was moved to, also through CMake's own find_package(MPI)."""
import os
import pathlib
import shutil
import subprocess
import sys

from table import Bench

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(outside C CXX)
find_package(MPI REQUIRED)
add_executable(ring ring.c)
target_link_libraries(ring PRIVATE MPI::MPI_C)
file(WRITE ${CMAKE_BINARY_DIR}/main.cpp "#include <mpi.h>\\nint main(int c, char** v)"
     " { MPI_Init(&c, &v); MPI_Finalize(); }\\n")
add_executable(plus ${CMAKE_BINARY_DIR}/main.cpp)
target_link_libraries(plus PRIVATE MPI::MPI_CXX)
"""


def attempt(bench, what, *command, environment=None, folder=None):
    run = subprocess.run(command, cwd=folder or bench.work, env=environment, text=True,
                         capture_output=True)
    wrong = [f"exit status {run.returncode}"] if run.returncode else []
    bench.report(what, wrong, run.stdout[-3000:] + run.stderr[-3000:])


def main():
    bench = Bench(sys.argv)
    build = bench.bin.parent
    shutil.rmtree(bench.work)
    bench.work.mkdir()
    attempt(bench, "it installs", "cmake", "--install", build, "--prefix", bench.work / "first")
    (bench.work / "first").rename(bench.work / "moved")
    moved = bench.work / "moved/bin"
    bench.bin = moved
    bench.compile("ring")
    bench.check(("a program runs from there", "mpiexec -n 4 ./ring", 0, r"\Asum 6\n\Z", None))

    source = bench.work / "outside"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(PROJECT)
    shutil.copy(bench.programs / "ring.c", source)
    path = {**os.environ, "PATH": f"{moved}:{os.environ['PATH']}"}
    attempt(bench, "find_package(MPI) finds it", "cmake", "-B", "out", environment=path,
            folder=source)
    cache = pathlib.Path(source, "out/CMakeCache.txt").read_text()
    found = f"MPI_C_COMPILER:FILEPATH={moved}/mpicc" in cache
    bench.report("and no other MPI", [] if found else ["MPI_C_COMPILER is another"], cache[-2000:])
    attempt(bench, "and builds with it", "cmake", "--build", "out", environment=path, folder=source)
    bench.check(("what it built runs", "mpiexec -n 4 outside/out/ring", 0, r"\Asum 6\n\Z", None))
    bench.check(("in C++ too", "mpiexec -n 2 outside/out/plus", 0, None, None))
    bench.done()


main()
