"""mpifort's own options, and the tools that ask it or pkg-config: CMake's FindMPI, Meson. Usage: wrappers_test.py BIN WORK"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(user C Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
add_executable(found module.f90)
target_compile_options(found PRIVATE -cpp)
target_link_libraries(found MPI::MPI_Fortran)
message(STATUS "f77 ${MPI_Fortran_HAVE_F77_HEADER} f90 ${MPI_Fortran_HAVE_F90_MODULE} f08 ${MPI_Fortran_HAVE_F08_MODULE}")
"""
MESON = """
project('user', 'c', 'fortran')
executable('found', 'module.f90', fortran_args: '-cpp', dependencies: dependency('mpi', language: 'fortran'))
"""


def check_options(bench):
    mpifort = bench.bin / "mpifort"
    bench.check(("INTEGERs of 8 bytes", f"{mpifort} -fdefault-integer-8 -c x.f", 1, None, "^mpifort: -fdefault-integer-8 is not possible"))
    bench.check(("libgfortran as an archive", f"{mpifort} -static-libgfortran x.f", 1, None, "^mpifort: -static-libgfortran is not possible"))
    bench.check(("the compiler can be chosen", f"{mpifort} -fc=echo x.f", 0, r"x\.f .*-lheddle_fortran", None))
    for name in ("HEDDLE_FC", "MPICH_FC", "OMPI_FC"):
        bench.check((f"by {name}, too", f"{mpifort} -c x.f", 0, r"\Ax .*x\.f", None, {"env": {name: "echo x"}}))
    order = {"env": {"OMPI_FC": "echo openmpi", "HEDDLE_FC": "echo heddle"}}
    bench.check(("HEDDLE_FC first", f"{mpifort} -c x.f", 0, r"\Aheddle .*x\.f", None, order))
    for name in ("mpif77", "mpif90"):
        bench.check((f"{name} shows the same command", f"{bench.bin / name} -show x.f", 0, r"gfortran .*x\.f.* -lheddle_fortran .*-lmpi_abi", None))
    # A link named flang beside nothing that an installation has.
    lonely = bench.work / "lonely/bin"
    lonely.mkdir(parents=True, exist_ok=True)
    shutil.copy(bench.bin / "mpicc", lonely / "mpifort")
    bench.check(("a compiler without modules", f"{lonely / 'mpifort'} -fc=flang-99 x.f90", 1, None, "^mpifort: there are no modules for flang"))


def check_libraries(bench):
    """However the library is linked, its sentinels are the program's."""
    mpifort, programs = bench.bin / "mpifort", HERE / "programs"
    for words in ("", "-Wl,-Bsymbolic", "-Xlinker -Bsymbolic", "-Wl,-z,now,-Bsymbolic", "-Wl,-Bsymbolic-functions", "-fvisibility=hidden"):
        bench.check((f"a library, {words}", f"{mpifort} -shared {words} {programs}/library.f90 -o libadds.so", 0, "", None))
        bench.check(("and its program", f"{mpifort} {programs}/with_library.f90 -L. -ladds -Wl,-rpath,$ORIGIN -o with_library", 0, "", None))
        bench.check(("sentinels of both", "mpiexec -n 4 ./with_library", 0, r"\Asum 16\n\Z", None))


def check_project(bench, name, files, setup, build, finds):
    """`finds`: what it says that it found."""
    project = bench.work / name
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    for path, text in files.items():
        (project / path).write_text(text)
    (project / "module.f90").write_text((HERE / "programs/module.f90").read_text())
    more = {"env": {"PATH": f"{bench.bin}:{os.environ['PATH']}"}}
    bench.check((f"{name} finds the interfaces", f"{setup} {project}/build", 0, finds, "", more))
    bench.check(("and builds", f"{build} {project}/build", 0, "", "", more))
    bench.check(("what runs", f"mpiexec -n 3 {project}/build/found", 0, r"\A3 ranks, 0 errors\n\Z", None))
    bench.check(("as threads", f"readelf -nW {project}/build/found", 0, "Heddle", None))


def check_tools(bench):
    check_project(bench, "cmake", {"CMakeLists.txt": CMAKE}, f"cmake -S {bench.work}/cmake -B", "cmake --build", "^-- f77 TRUE f90 TRUE f08 TRUE$")
    if shutil.which("meson"):
        check_project(bench, "meson", {"meson.build": MESON}, f"env -C {bench.work}/meson meson setup", "ninja -C", "dependency mpi found: YES|MPI.* found: YES")
    else:
        print("skipped: Meson is not installed")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "mpi-fort"], text=True, capture_output=True, check=True,
                           env={**os.environ, "PKG_CONFIG_PATH": str(bench.bin.parent / "lib/pkgconfig")}).stdout.strip()
    bench.check(("pkg-config's flags", f"gfortran -cpp {HERE}/programs/module.f90 {flags} -o by_pkg_config", 0, "", None))
    bench.check(("make a program", "mpiexec -n 3 ./by_pkg_config", 0, r"\A3 ranks, 0 errors\n\Z", None))


def main():
    bench = Bench(sys.argv)
    check_options(bench)
    check_libraries(bench)
    if not bench.before_programs:  # a sanitizer's library is not meant for cmake and compilers
        check_tools(bench)
    bench.done()


main()
