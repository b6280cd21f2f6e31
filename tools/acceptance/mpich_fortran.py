"""MPICH's test programs in Fortran: f77 with mpif.h, the same with `use mpi` (f90), and f08 with mpi_f08.

MPICH makes most of its programs of f90 from those of f77 when it makes a release; so does prepare(). Programs of some folders
are built with a file in C, which is that of another language.
"""
import pathlib
import re
import subprocess
import sys

import mpich_programs

TOPICS = ["attr", "coll", "comm", "datatype", "ext", "info", "init", "io", "misc", "profile", "pt2pt", "rma", "subarray", "timer", "topo"]
LANGUAGES = ["f77", "f90", "f08"]

# What configure writes into files whose names end with .in.
KINDS = {"@F77_MPI_ADDRESS@": "integer (kind=MPI_ADDRESS_KIND)", "@F77_MPI_OFFSET@": "integer (kind=MPI_OFFSET_KIND)"}

# Old Fortran is allowed; buffers may have any type.
FLAGS = ["-O1", "-w", "-std=legacy", "-fallow-argument-mismatch", "-ffree-line-length-none"]
SUPPORT = {"f77": "util/mtest_f77.f", "f90": "util/mtest_f77.f", "f08": "util/mtest_f08.f90"}

# As mpich.EXPECTED_FAILURES.
EXPECTED_FAILURES = {
    "uses names that MPI 3.0 removed": [
        "f77/datatype/typecntsf", "f90/datatype/typecntsf", "f77/datatype/allctypesf", "f90/datatype/allctypesf",
        "f08/datatype/allctypesf08"],
    "passes numbers for arrays, or the other way round, which the interfaces of module mpi refuse": [
        "f90/coll/alltoallvf", "f90/coll/nonblocking_inpf", "f90/coll/split_typef", "f90/coll/vw_inplacef"],
    "has a file in C with a variable that is not declared": ["f08/io/c2f2ciof90"],
    "knows no version of MPI beyond 4": ["f77/init/baseenvf", "f90/init/baseenvf", "f08/init/baseenvf90"],
}
# As mpich.MENDED_LATER.
MENDED_LATER = ["f90/coll/alltoallvf", "f90/coll/nonblocking_inpf", "f90/coll/split_typef", "f90/coll/vw_inplacef",
                "f77/init/baseenvf", "f90/init/baseenvf", "f08/init/baseenvf90"]


def is_fortran(root, path):
    """Some programs of these folders are in C."""
    return path.split("/")[0] in LANGUAGES and any(not source.endswith(".c") for source in _sources(root, path))


def _use_mpi(text):
    """The text of a program in f77 with module mpi, which is used before `implicit none`."""
    text = re.sub(r"implicit none\s*\n((?:[Cc!*].*\n)*)\s*include 'mpif.h'", r"use mpi\n        implicit none", text, flags=re.I)
    return re.sub(r"^\s*include 'mpif.h'.*$", "        use mpi", text, flags=re.M | re.I)


def prepare(root):
    """Writes what MPICH's configure and release scripts would. f90 gets the programs of f77, and keeps its own of other topics."""
    for source in root.glob("f77/*/*.h.in"):
        text = re.sub("^C.*\n", "", source.read_text(), flags=re.M)
        for words, kind in KINDS.items():
            text = text.replace(words, kind)
        source.with_suffix("").write_text(text)
    # Most programs of io are made of one text, by a script of MPICH's.
    for harness in root.glob("f*/io/ioharness.tlt"):
        script = root / "maint/testmerge"
        script.write_text((root / "maint/testmerge.in").read_text().replace("@PERL@", "/usr/bin/perl"))
        subprocess.run(["perl", script, f"-defn={root}/maint/common.defn", "ioharness.defn", harness.name], cwd=harness.parent, check=True,
                       stdout=subprocess.DEVNULL)
    for source in root.glob("f77/*/*.*"):
        there = root / "f90" / source.parent.name / source.name
        there.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(errors="replace")
        there.write_text(_use_mpi(text) if source.suffix == ".f" else text)
    for source in root.glob("f77/*/testlist"):
        (root / "f90" / source.parent.name / "testlist").write_text(source.read_text())
    made = {"c2f902c.c": "c2f2c.c", "ctypesfromc.c": "ctypesfromc.c"}
    for name, origin in made.items():
        if (root / "f77/ext" / origin).exists() and (root / "f08/ext").exists():
            (root / "f08/ext" / name).write_text((root / "f77/ext" / origin).read_text().replace("c2f2c", "c2f902c"))


def runs(root):
    """All runs of the topics that we have. Requires prepare()."""
    return [run for language in LANGUAGES for topic in TOPICS for run in mpich_programs.listed(root, f"{language}/{topic}")]


def _sources(root, path):
    folder, name = path.rsplit("/", 1)
    usual = [f"{name}{ending}" for ending in (".f90", ".f", ".c") if (root / folder / f"{name}{ending}").exists()]
    names = mpich_programs.variables(root / folder / "Makefile.am").get(f"{name}_SOURCES", usual[:1])
    return [f"{folder}/{source}" for source in names if not source.endswith(".h")]


def support(tests, mpifort, run_in):
    """What the programs of a language share, compiled once into a folder of the executables; by source."""
    folder = tests.executable("shared_fortran")
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for source in dict.fromkeys(SUPPORT.values()):
        made[source] = folder / (source.replace("/", "_") + ".o")
        result = run_in([mpifort, *FLAGS, "-Iinclude", f"-J{folder}", "-c", source, "-o", made[source]], tests.root)
        if result.returncode:
            sys.exit(f"{source} does not compile:\n{result.stdout}")
    return made


def build(tests, compilers, path, shared, run_in):
    """Compiles and links one program; returns the result of the first command that fails, or of the last."""
    root, folder = tests.root, path.rsplit("/", 1)[0]
    mpicc, mpifort = compilers
    objects = pathlib.Path(f"{tests.executable(path)}.objects")
    objects.mkdir(parents=True, exist_ok=True)
    common = shared[SUPPORT[path.split("/")[0]]]
    attributes = pathlib.Path(folder).with_name("attr")  # whose header programs of rma include
    where = [f"-I{folder}", f"-I{attributes}", "-Iinclude", f"-I{common.parent}", f"-I{objects}"]
    made = [common]
    for source in _sources(root, path):
        made.append(objects / (source.replace("/", "_") + ".o"))
        compiler = [mpicc, "-O1", "-w"] if source.endswith(".c") else [mpifort, *FLAGS, f"-J{objects}"]
        result = run_in([*compiler, *where, "-c", source, "-o", made[-1]], root)
        if result.returncode:
            return result
    return run_in([mpifort, *made, "-o", tests.executable(path)], root)
