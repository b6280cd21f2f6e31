"""Programs that bring an allocator along: jemalloc, tcmalloc, a sanitizer. Libc, which all ranks share, must use the same."""
import subprocess
import sys

from table import Bench

JEMALLOC, TCMALLOC = "libjemalloc.so.2", "libtcmalloc_minimal.so.4"
# name: how it is linked
PROGRAMS = {
    "je": [f"-l:{JEMALLOC}"],
    "tc": [f"-l:{TCMALLOC}"],
    "asan": ["-fsanitize=address", "-g"],
    "tsan": ["-fsanitize=thread", "-g"],
    "plain": [],
}


def fine(count, words=""):
    return rf"\A({words}fine \[\] \[\]\n){{{count}}}\Z"


ROWS = [
    *[(f"{name}, {ranks} ranks", f"mpiexec -n {ranks} ./{name}", 0, fine(ranks), None)
      for name in ("je", "tc", "asan") for ranks in (1, 3, 40)],
    *[(f"{name} on one worker", f"mpiexec -n 8 --workers 1 ./{name}", 0, fine(8), None) for name in ("je", "tc", "asan")],
    *[(f"{name} in C++", f"mpiexec -n 8 ./{name}++", 0, fine(8, "caught, "), None) for name in ("je", "tc", "asan")],
    *[(f"{name} without mpiexec", f"./{name}", 0, fine(1), None) for name in ("je", "tc", "asan")],
    ("for some ranks is for all", "mpiexec -n 2 ./plain : -n 3 ./je", 0, fine(5), None),
    ("two in one job are refused", "mpiexec ./je : ./tc", 1, None,
     "^[^\n]*tc: it brings an allocator, .*libtcmalloc_minimal.so.4, .* give all programs of the job the same one\n"),
    *[(f"{library} preloaded", f"mpiexec -n 3 -x LD_PRELOAD={library} ./plain", 0, rf"\A(fine \[{library}\] \[{library}\]\n){{3}}\Z", None)
      for library in (JEMALLOC, TCMALLOC)],
    ("what else is preloaded stays so", "mpiexec -n 3 -x LD_PRELOAD=libm.so.6 ./je", 0, r"\A(fine \[libm.so.6\] \[libm.so.6\]\n){3}\Z", None),
    ("AddressSanitizer finds what it is for", "mpiexec -n 2 ./asan bad", 1, None, "ERROR: AddressSanitizer: heap-use-after-free"),
    ("ThreadSanitizer is refused", "mpiexec -n 2 ./tsan", 1, None, r"^[^\n]*tsan: it was built with ThreadSanitizer[^\n]*HEDDLE_SANITIZE=thread"),
]


def main():
    bench = Bench(sys.argv)
    source = bench.programs / "allocator.c"
    for name, options in PROGRAMS.items():
        for compiler, language, output in (("mpicc", "c", name), ("mpicxx", "c++", f"{name}++")):
            subprocess.run([bench.bin / compiler, "-O1", "-x", language, source, "-x", "none", "-Wl,--no-as-needed", *options, "-o",
                            bench.work / output], check=True)
    for row in ROWS:
        bench.check(row)
    if not bench.before_programs:  # a sanitizer's malloc is not glibc's
        bench.compile("large_blocks")
        bench.check(("glibc's keeps large blocks for the next ones", "mpiexec -n 1 ./large_blocks", 0, r"\A8 MiB kept\n24 MiB kept\n\Z", None))
    bench.done()


main()
