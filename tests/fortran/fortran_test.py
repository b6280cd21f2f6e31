"""Programs in Fortran, built by mpifort: mpif.h, modules mpi and mpi_f08, tools, libraries, CMake's FindMPI."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

# Without interfaces gfortran wants to know that buffers may have different types. -cpp: __LINE__.
PROGRAMS = {"ring": ("ring.f", ["-fallow-argument-mismatch", "-w"]),
            "module": ("module.f90", ["-cpp", "-Wall", "-Wno-unused-dummy-argument", "-Werror"]),
            "handles": ("handles.f90", ["-cpp", "-Wall", "-Wno-unused-dummy-argument", "-Werror"]),
            "free_form": ("free_form.f90", ["-Wall", "-Werror"])}
EXAMPLE = HERE.parent.parent / "examples/wave/wave.f90"
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(user C Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
add_executable(found module.f90)
target_compile_options(found PRIVATE -cpp)
target_link_libraries(found MPI::MPI_Fortran)
message(STATUS "f77 ${MPI_Fortran_HAVE_F77_HEADER} f90 ${MPI_Fortran_HAVE_F90_MODULE} f08 ${MPI_Fortran_HAVE_F08_MODULE}")
"""


def build(bench):
    def make(*words):
        subprocess.run(words, cwd=bench.work, check=True)

    mpifort, programs = bench.bin / "mpifort", HERE / "programs"
    for name, (source, flags) in PROGRAMS.items():
        make(mpifort, "-O1", "-g", *flags, "-o", name, programs / source)
    make(mpifort, "-O2", "-Wall", "-Werror", "-o", "wave", EXAMPLE)
    make(bench.bin / "mpif77", "-c", "-fallow-argument-mismatch", "-w", programs / "ring.f")
    make(bench.bin / "mpicc", "-c", programs / "counting.c", "-o", "counting_c.o")
    make(mpifort, "-c", programs / "counting.f90", "-o", "counting_f90.o")
    make(mpifort, "ring.o", "counting_c.o", "-o", "counted_by_c")
    make(mpifort, "ring.o", "counting_f90.o", "-o", "counted_by_fortran")
    make(mpifort, "ring.o", "counting_f90.o", "counting_c.o", "-o", "counted_by_both")
    make(mpifort, "-shared", programs / "library.f90", "-o", "libadds.so")
    make(bench.bin / "mpif90", programs / "with_library.f90", "-L.", "-ladds", "-Wl,-rpath,$ORIGIN", "-o", "with_library")


def check_cmake(bench):
    project = bench.work / "project"
    project.mkdir(exist_ok=True)
    (project / "CMakeLists.txt").write_text(PROJECT)
    (project / "module.f90").write_text((HERE / "programs/module.f90").read_text())
    env = {"PATH": f"{bench.bin}:{os.environ['PATH']}"}
    bench.check(("FindMPI finds the three interfaces", f"cmake -S {project} -B {project}/build", 0, "^-- f77 TRUE f90 TRUE f08 TRUE$", "", {"env": env}))
    bench.check(("and builds", f"cmake --build {project}/build", 0, "", "", {"env": env}))
    bench.check(("what runs", f"mpiexec -n 3 {project}/build/found", 0, r"\A3 ranks, 0 errors\n\Z", None))


def main():
    bench = Bench(sys.argv)
    build(bench)
    for name in ("ring", "module", "handles"):
        for ranks in (1, 2, 7, 64):
            bench.check((f"{name} with {ranks}", f"mpiexec -n {ranks} ./{name}", 0, rf"\A{ranks} ranks, 0 errors\n\Z", None))
        bench.check((f"{name} by itself", f"./{name}", 0, r"\A1 ranks, 0 errors\n\Z", None))
        processes = f"mpiexec -n 3 --ranks-as processes {' '.join(bench.before_programs)} ./{name}"
        bench.check((f"{name}, ranks as processes", processes, 0, r"\A3 ranks, 0 errors\n\Z", None))
    for ranks in (1, 7):
        bench.check((f"the example with {ranks}", f"mpiexec -n {ranks} ./wave 100", 0, r"200 steps, error +[0-9.]+E-1[0-9]$", None))
    bench.check(("units of a rank, and STOP", "mpiexec -n 5 ./free_form", 3, None, "STOP 3"))
    bench.check(("a tool in C", "mpiexec -n 2 ./counted_by_c", 0, r"(?s)(C saw 1 sends.*){2}", None))
    bench.check(("a tool in Fortran", "mpiexec -n 2 ./counted_by_fortran", 0, r"(?s)(Fortran saw a send.*){2}", None))
    bench.check(("one on top of the other", "mpiexec -n 1 ./counted_by_both", 0, r"(?s)Fortran saw a send.*C saw 0 sends", None))
    bench.check(("sentinels of a program and its library", "mpiexec -n 4 ./with_library", 0, r"\Asum 16\n\Z", None))
    mpifort = bench.bin / "mpifort"
    bench.check(("INTEGERs of 8 bytes", f"{mpifort} -fdefault-integer-8 -c x.f", 1, None, "^mpifort: -fdefault-integer-8 is not possible"))
    bench.check(("libgfortran as an archive", f"{mpifort} -static-libgfortran x.f", 1, None, "^mpifort: -static-libgfortran is not possible"))
    bench.check(("the compiler can be chosen", f"{mpifort} -fc=echo x.f", 0, r"x\.f .*-lheddle_fortran", None))
    bench.check(("by the environment, too", f"{mpifort} -c x.f", 0, r"x\.f", None, {"env": {"HEDDLE_FC": "echo"}}))
    if not bench.before_programs:  # a sanitizer's library is not meant for cmake and compilers
        check_cmake(bench)
    bench.done()


main()
