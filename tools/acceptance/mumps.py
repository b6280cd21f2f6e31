"""MUMPS, a direct solver of sparse systems: 250,000 lines of Fortran and C over ScaLAPACK, with packed messages in buffers of its own.

Its own examples, whose solutions its README tells, and problems in mumps_problems.F90 whose solutions are known: general,
definite and indefinite matrices, given at one rank or by all, in memory and on disk, with a host that works and one that does not.
"""
import os
import pathlib
import re
import subprocess

import modes
import scalapack
from debian_source import build_once

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 600  # seconds a run
SETTINGS = """
LPORDDIR = $(topdir)/PORD/lib/
IPORD = -I$(topdir)/PORD/include/
LPORD = -L$(LPORDDIR) -lpord
ORDERINGSF = -Dpord
ORDERINGSC = $(ORDERINGSF)
LORDERINGS = $(LPORD)
IORDERINGSF =
IORDERINGSC = $(IPORD)
LIBEXT = .a
LIBEXT_SHARED = .so
FPIC_OPT = -fPIC
OUTC = -o 
OUTF = -o 
RM = /bin/rm -f
CC = {bin}/mpicc
FC = {bin}/mpif90
FL = {bin}/mpif90
AR = ar vr 
RANLIB = ranlib
SCALAP = {scalapack}
LIBPAR = $(SCALAP) -lopenblas
LIBBLAS = -lopenblas
LIBOTHERS = -lpthread
CDEFS = -DAdd_
OPTF = -O1 -w -fallow-argument-mismatch
OPTL = -O1
OPTC = -O1 -w
INCS =
LIBS = $(LIBPAR)
LIBSEQNEEDED =
"""
# By program: its input, and what it must print for its solution.
NUMBER = r"\d[\d.E+-]*"
EXAMPLES = {
    "dsimpletest": ("input_simpletest_real", [1, 2, 3, 4, 5]),
    "zsimpletest": ("input_simpletest_cmplx", [1, 2, 3, 4, 5]),
    "dsimpletest_save_restore": ("input_simpletest_real", [1, 2, 3, 4, 5]),
    "c_example": (None, [1, 2]),
}


def add_arguments(parser):
    parser.add_argument("--ranks", default="2,4,7", help="numbers of ranks")
    parser.add_argument("--edge", type=int, default=22, help="points of the edge of the cube whose equations are solved")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, options):
    """Builds ScaLAPACK, MUMPS in double precision, real and complex, and the programs; returns the folder of the programs."""
    library = scalapack.build(work / "scalapack", prefix, options, ["scalapack"]) / "lib/libscalapack.a"
    settings = SETTINGS.format(bin=prefix / "bin", scalapack=library)
    jobs = f"-j{os.cpu_count()}"
    source = build_once("mumps", work, prefix, (
        (".", ["sh", "-c", 'printf %s "$0" > Makefile.inc', settings]),
        (".", ["make", jobs, "d", "z"]),     # with their examples
        ("examples", ["make", "d", "z"])))
    problems = source / "examples/mumps_problems"
    if not problems.exists() or problems.stat().st_mtime < (HERE / "mumps_problems.F90").stat().st_mtime:
        subprocess.run([prefix / "bin/mpif90", "-O1", "-w", "-fallow-argument-mismatch", "-I../include", "-o", problems, HERE / "mumps_problems.F90",
                        "-L../lib", "-ldmumps", "-lmumps_common", "-L../PORD/lib", "-lpord", library, "-lopenblas", "-lpthread"],
                       cwd=source / "examples", check=True)
    return source / "examples"


def _run(command, given, place, log):
    with open(given or os.devnull) as stdin:
        result = subprocess.run(["timeout", "-k", "10", str(LIMIT), *map(str, command)], cwd=place, stdin=stdin, stdout=subprocess.PIPE, text=True,
                                errors="replace", stderr=subprocess.STDOUT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    log.write_text(result.stdout)
    return result


def solution_in(text, length):
    """The numbers behind "Solution is"; of complex ones the real parts."""
    said = re.findall(r"olution is(.*)", text)
    return [float(number) for number in re.findall(rf"({NUMBER})(?:,-?{NUMBER})?", said[-1])][:length] if said else []


def run(folder, place, prefix, ranks, options):
    """Returns what is wrong."""
    place.mkdir(parents=True, exist_ok=True)
    complaints = []
    shared = [] if options.mode == "processes" else ["--share-library", "libopenblas"]
    with modes.mpiexec(prefix, options) as mpiexec:
        for name, (given, wanted) in EXAMPLES.items():
            result = _run([*mpiexec, *shared, "-n", ranks, folder / name], given and folder / given, place, place / f"{name}-{options.mode}.txt")
            found = solution_in(result.stdout, len(wanted))
            right = len(found) == len(wanted) and all(abs(x - y) < 1e-5 for x, y in zip(found, wanted))
            print(f"  {name}: {'right' if right else found}", flush=True)
            if result.returncode or not right:
                complaints.append(f"{name}: status {result.returncode}, {found}: {result.stdout[-600:]}")
        edge = 8 if options.small else options.edge
        result = _run([*mpiexec, *shared, "-n", ranks, folder / "mumps_problems", edge], None, place, place / f"problems-{options.mode}.txt")
        said = re.search(r"(\d+) problems, 0 wrong", result.stdout)
        print(f"  {said[0] if said else 'problems failed'}", flush=True)
        if result.returncode or not said:
            complaints.append(f"problems: status {result.returncode}: {result.stdout[-1000:]}")
    return complaints
