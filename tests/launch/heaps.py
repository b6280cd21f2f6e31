"""Each rank has a heap of its own (HEDDLE_MALLOC=mimalloc): where blocks lie, which strand may free them, and to which they go back."""
import subprocess
import sys

from table import Bench

OWN = "--malloc mimalloc"
ROWS = [
    *[(f"{what}, {options}", f"mpiexec {options} {OWN} ./heaps {what}", 0, rf"\A{what} done\n\Z", None)
      for what in ("own", "others")
      for options in ("-n 2", "-n 5 --workers 1", "-n 5 --workers 3", "-n 40")],
    *[(f"threads, {options}", f"mpiexec {options} {OWN} ./heaps threads", 0, r"\Athreads done\n\Z", None)
      for options in ("-n 1", "-n 4 --workers 1", "-n 4 --workers 2", "-n 4 --posix-threads kernel")],
    ("the variable says the same", "mpiexec -n 2 ./heaps own", 0, r"\Aown done\n\Z", None, {"env": {"HEDDLE_MALLOC": "mimalloc"}}),
    *[(f"MPI_T tells, {options}", f"mpiexec {options} {OWN} ./heaps tool", 0, r"\Atool done\n\Z", None) for options in ("-n 1", "-n 6")],
    *[(f"children, {options}", f"mpiexec {options} {OWN} ./heaps forks", 0, r"\Aforks done\n\Z", None)
      for options in ("-n 1", "-n 3 --workers 2", "-n 3 --posix-threads kernel")],
    *[(f"ranks move, {options}", f"mpiexec {options} {OWN} ./heaps moves", 0, r"^moves done$", None)
      for options in ("-n 1 --workers 2", "-n 6 --workers 3")],
    *[(f"what else moves, {options}", f"mpiexec {options} ./heaps image", 0, r"^image done$", None)
      for options in ("-n 1 --workers 2", "-n 6 --workers 3", f"-n 6 {OWN}")],
    ("it is mimalloc's malloc", f"mpiexec -n 2 {OWN} ./heaps whose", 0, r"\Alibmimalloc.so.2.*\nwhose done\n\Z", None),
    ("as many ranks as areas", f"mpiexec -n 64 {OWN} ./heaps own", 0, r"\Aown done\n\Z", None),
    ("more ranks than areas have glibc's", f"mpiexec -n 65 {OWN} ./heaps whose", 0, r"\Alibc.so.6\nwhose done\n\Z", None),
    ("in several processes there are more", f"mpiexec -n 65 --processes 2 {OWN} ./heaps whose", 0, r"\Alibmimalloc.so.2.*\nwhose done\n\Z", None),
    ("glibc's is the default", "mpiexec -n 5 ./heaps whose", 0, r"\Alibc.so.6\nwhose done\n\Z", None),
    ("an allocator that is preloaded wins", f"mpiexec -n 5 {OWN} -x LD_PRELOAD=libjemalloc.so.2 ./heaps whose", 0, r"\Alibjemalloc.so.2\nwhose done\n\Z", None),
    ("mimalloc that is preloaded is it", f"mpiexec -n 5 {OWN} -x LD_PRELOAD=libmimalloc.so.2 ./heaps own", 0, r"^own done$", None),
    ("ranks that are processes keep glibc's", f"mpiexec -n 2 --ranks-as processes {OWN} ./heaps whose", 0, r"\Alibc.so.6\nwhose done\n\Z", None),
    *[(f"{program}: {way}", f"mpiexec {way} ./{program}", 0, r"\A(ok\n){3}\Z", None)
      for program in ("aligned", "aligned_new")
      for way in ("-n 3", f"-n 3 {OWN}", f"-n 3 --posix-threads kernel {OWN}", "-n 3 --ranks-as processes", "-n 3 -x LD_PRELOAD=libjemalloc.so.2")],
    ("no other allocator", "mpiexec --malloc jemalloc ./heaps own", 2, None, "glibc or mimalloc"),
]


def main():
    bench = Bench(sys.argv)
    bench.compile("heaps", "aligned", flags=("-fno-builtin",))
    subprocess.run([bench.bin / "mpicxx", "-O1", "-g", "-o", bench.work / "aligned_new", bench.programs / "aligned_new.cpp"], check=True)
    for row in ROWS:
        bench.check(row)
    bench.done()


main()
