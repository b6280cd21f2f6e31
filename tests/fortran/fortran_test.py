"""Programs in Fortran, built by mpifort with one compiler: mpif.h, modules mpi and mpi_f08, tools, libraries.

Usage: fortran_test.py BIN WORK COMPILER
"""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

FLANG = "flang" in sys.argv[3]
STRICT = [] if FLANG else ["-Wall", "-Wno-unused-dummy-argument", "-Werror"]
# Without interfaces gfortran wants to know that buffers may have different types.
ANY_TYPE = [] if FLANG else ["-fallow-argument-mismatch", "-w"]
# -cpp: __LINE__.
PROGRAMS = {"ring": ("ring.f", ANY_TYPE), "module": ("module.f90", ["-cpp", *STRICT]), "handles": ("handles.f90", ["-cpp", *STRICT]),
            "free_form": ("free_form.f90", STRICT), "datareps": ("datareps.f90", STRICT)}
# Of sections.py: shape and procedures.
SECTIONS = {shape + suffix: (shape, which) for shape in ("row", "runs") for suffix, which in (("", "messages"), ("_windows", "windows"), ("_files", "files"))}
EXAMPLE = HERE.parent.parent / "examples/wave/wave.f90"


def build(bench):
    def make(*words):
        subprocess.run(words, cwd=bench.work, check=True)

    mpifort, programs = bench.bin / "mpifort", HERE / "programs"
    for name, (source, flags) in PROGRAMS.items():
        make(mpifort, "-O1", "-g", *flags, "-o", name, programs / source)
    for name, (shape, which) in SECTIONS.items():
        make(sys.executable, HERE / "sections.py", HERE.parent.parent / "bindings", shape, which, f"{name}.f90")
        make(mpifort, "-O1", "-g", *([] if FLANG else ["-ffree-line-length-none", "-w"]), "-o", name, f"{name}.f90")
    make(mpifort, "-O2", *STRICT, "-o", "wave", EXAMPLE)
    make(bench.bin / "mpif77", "-c", *ANY_TYPE, programs / "ring.f")
    make(bench.bin / "mpicc", "-c", programs / "attributes.c", "-o", "attributes_c.o")
    make(mpifort, "-O1", "-g", "-cpp", programs / "attributes.f90", "attributes_c.o", "-o", "attributes")
    make(bench.bin / "mpicc", "-c", programs / "counting.c", "-o", "counting_c.o")
    make(mpifort, "-c", programs / "counting.f90", "-o", "counting_f90.o")
    make(mpifort, "ring.o", "counting_c.o", "-o", "counted_by_c")
    make(mpifort, "ring.o", "counting_f90.o", "-o", "counted_by_fortran")
    make(mpifort, "ring.o", "counting_f90.o", "counting_c.o", "-o", "counted_by_both")
    make(bench.bin / "mpicc", "-c", programs / "tracing.c", "-o", "tracing_c.o")
    make(mpifort, "-c", programs / "tracing.f90", "-o", "tracing_f90.o")
    make(mpifort, programs / "traced.f90", "tracing_f90.o", "tracing_c.o", "-o", "traced")
    make(mpifort, "-shared", programs / "library.f90", "-o", "libadds.so")
    make(bench.bin / "mpif90", programs / "with_library.f90", "-L.", "-ladds", "-Wl,-rpath,$ORIGIN", "-o", "with_library")


def main():
    bench = Bench(sys.argv)
    os.environ["HEDDLE_FC"] = sys.argv[3]
    build(bench)
    for name in ("ring", "module", "handles", "attributes", "datareps", *SECTIONS):
        for ranks in (1, 2, 7) if name in SECTIONS else (1, 2, 7, 64):
            bench.check((f"{name} with {ranks}", f"mpiexec -n {ranks} ./{name}", 0, rf"\A{ranks} ranks, 0 errors\n\Z", None))
        bench.check((f"{name} by itself", f"./{name}", 0, r"\A1 ranks, 0 errors\n\Z", None))
        processes = f"mpiexec -n 3 --ranks-as processes {' '.join(bench.before_programs)} ./{name}"
        bench.check((f"{name}, ranks as processes", processes, 0, r"\A3 ranks, 0 errors\n\Z", None))
    for ranks in (1, 7):
        bench.check((f"the example with {ranks}", f"mpiexec -n {ranks} ./wave 100", 0, r"200 steps, error +[0-9.]+E-1[0-9]$", None))
    bench.check(("units of a rank, and STOP", "mpiexec -n 5 ./free_form", 3, None, "STOP: code 3" if FLANG else "STOP 3"))
    bench.check(("a tool in C", "mpiexec -n 2 ./counted_by_c", 0, r"(?s)(C saw 1 sends.*){2}", None))
    bench.check(("a tool in Fortran", "mpiexec -n 2 ./counted_by_fortran", 0, r"(?s)(Fortran saw a send.*){2}", None))
    bench.check(("one on top of the other", "mpiexec -n 1 ./counted_by_both", 0, r"(?s)Fortran saw a send.*C saw 0 sends", None))
    bench.check(("tools of mpi_f08, with sections", "mpiexec -n 1 ./traced", 0, r"(?s)\A(?=.*Fortran sees an array of rank 1)(?=.*C knows the request).*the row is right", None))
    bench.check(("sentinels of a program and its library", "mpiexec -n 4 ./with_library", 0, r"\Asum 16\n\Z", None))
    bench.done()


main()
