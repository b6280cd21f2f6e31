"""Intel's MPI benchmarks, built to check their data."""
import os
import re
import shutil

from git_source import must

IMB = ("intel/mpi-benchmarks", "46e8757a920c334abfea6340499f1c5deaefb834", ("src_c", "src_cpp"))


def build(source, programs, targets, mpicc, log):
    """`targets`: their names, e.g. RMA."""
    for target in targets:
        # Its makefile gives all targets the same object files.
        for built in (source / "src_cpp").rglob("*.o"):
            built.unlink()
        must(log, "make", f"-j{os.cpu_count()}", "-C", "src_cpp", f"TARGET={target}", f"CC={mpicc} -w", f"CXX={mpicc.with_name('mpicxx')} -w",
             "CPPFLAGS=-DCHECK", folder=source)
        shutil.copy(source / f"src_cpp/IMB-{target}", programs)


def wrong_in(text):
    """What is wrong with an output: rows of tables that have a column of defects must have 0.00 there."""
    has_defects, rows = False, 0
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            has_defects = line.rstrip().endswith("defects")
        elif has_defects and re.match(r"\s+\d", line):
            rows += 1
            if line.split()[-1] != "0.00":
                return f"defects: {line.strip()}"
    return "" if rows > 0 else "it tells no defects"
