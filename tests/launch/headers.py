"""What a program's ELF headers ask for is what its ranks have, as processes have it (docs/concepts/loading.md).

    headers.py BIN WORK
"""
import re
import subprocess
import sys

from table import Bench

WAYS = ["mpiexec -n 3", "mpiexec -n 3 --workers 1", "mpiexec -n 3 --posix-threads kernel", "mpiexec -n 3 --ranks-as processes", ""]
# Name, words for mpicc, what `readelf -lW` must show.
CASES = [
    ("STACK", ("-O0",), r"GNU_STACK .* RWE"),
    ("PLUGIN_OF_STACK", ("-O0",), r"GNU_STACK .* RW "),
    ("NO_STACK", ("-O0",), r"GNU_STACK .* RW "),
    ("ALIGNED", (), r"LOAD .* 0x10000\n(.*\n)* *TLS .* 0x400\n"),
    ("RELRO", ("-Wl,-z,relro",), r"GNU_RELRO"),
    ("NO_RELRO", (), r"\A(?!(.*\n)*.*GNU_RELRO)"),
    ("BY_ORIGIN", ("-O0", "-L.", "-lnested", "-Wl,-rpath,$ORIGIN", "-Wl,--no-warn-execstack"), r"DYNAMIC"),
]


def compile(bench, output, source, *words):
    subprocess.run([bench.bin / "mpicc", "-g", "-Wno-pedantic", "-o", bench.work / output, bench.programs / source, *words],
                   check=True, cwd=bench.work)


def headers(bench, name):
    return subprocess.run(["readelf", "-lW", bench.work / name], check=True, capture_output=True, text=True).stdout


def check_cases(bench):
    compile(bench, "libnested.so", "nested.c", "-O0", "-shared")
    for name, words, shown in CASES:
        compile(bench, name.lower(), "headers.c", f"-D{name}", *words)
        found = re.search(shown, headers(bench, name.lower())) is not None
        bench.report(f"{name}: the linker has made the header", [] if found else [f"no {shown!r}"], headers(bench, name.lower()))
        for way in WAYS:
            ranks = 3 if way else 1
            bench.check((f"{name}, {way}", f"{way} ./{name.lower()}", 0, rf"\A(ok\n){{{ranks}}}\Z", None))


def check_refusals(bench):
    """What neither a process nor a rank can have is told."""
    compile(bench, "levels", "headers.c", "-DPLAIN", "-Wl,-z,x86-64-v4")
    has_level = subprocess.run([bench.work / "levels"], capture_output=True).returncode == 0
    for way in WAYS[:2]:
        row = (f"PT_GNU_PROPERTY: instructions that the processor lacks, {way}", f"{way} ./levels")
        bench.check((*row, 0, r"\A(ok\n){3}\Z", None) if has_level else (*row, 1, None, r"levels.*ISA level"))


def main():
    bench = Bench(sys.argv)
    check_cases(bench)
    check_refusals(bench)
    bench.done()


main()
