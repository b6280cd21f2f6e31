"""mpiexec and mpicc where the system gives little: no working directory, few files, little memory, few processes. Either the job
runs, or one sentence says what is missing. No exception leaves main.
"""
import os
import re
import subprocess
import sys

from table import Bench

RAW = re.compile(r"terminate called|what\(\)|filesystem error|basic_string|std::|Aborted")
BY_KERNEL = (137, 139)  # it has no memory for the program's file
LOADER = "error while loading shared libraries|cannot (allocate|create|apply)|failed to map"


def check_limit(bench, option, value, line, names):
    """`names`: what the sentence must name, if the job does not run."""
    result = bench.run(f"sh -c 'ulimit -{option} {value} && exec \"$0\" \"$@\"' {line}")
    status = result.returncode if result.returncode >= 0 else 128 - result.returncode
    wrong = []
    if RAW.search(result.stderr) or status == 134:
        wrong.append("an exception was not caught")
    if status != 0 and not (status in BY_KERNEL and option in "vs" or re.search(f"{LOADER}|{names}", result.stderr)):
        wrong.append(f"exit status {status} without a sentence that says {names}")
    if status == 0 and "sum" not in result.stdout and "ranks=" not in result.stdout:
        wrong.append("it has not run")
    bench.report(f"ulimit -{option} {value}: {line.split('/')[-1]}", wrong, f"{result.stdout[-300:]}{result.stderr[-1000:]}")


def check_limits(bench):
    mpiexec = bench.bin / "mpiexec"
    before = " ".join(bench.before_programs)
    show = f"{mpiexec} --show -n 3 ./ring"
    threads, processes, several = (f"{mpiexec} -n 3 {options} ./ring" for options in ("", f"--ranks-as processes {before}", "--processes 2"))
    for files in (*range(0, 24), 32, 64, 100, 101, 102, 104, 128, 256):
        for line in (show, threads, processes, several):
            check_limit(bench, "n", files, line, r"ulimit -n|Too many open files|open files")
    if bench.before_programs:
        return  # a sanitizer takes terabytes of addresses
    for kilobytes in (0, 1000, 4000, 6000, 8000, 12000, 20000, 50000, 100000, 200000, 400000):
        check_limit(bench, "v", kilobytes, show, r"mpiexec: .*memory")
    for kilobytes in (0, 8, 64, 128):
        check_limit(bench, "s", kilobytes, show, r"mpiexec: .*(stack|memory)")


def check_no_directory(bench):
    """A working directory that is gone."""
    def run(words):
        gone = bench.work / "gone"
        gone.mkdir()
        script = f'cd "{gone}" && rmdir "{gone}" && exec {words}'
        return subprocess.run(["sh", "-c", script], text=True, capture_output=True, check=False, env={**os.environ, "PWD": "/gone"})
    ring = bench.work / "ring"
    before = " ".join(map(str, bench.before_programs))
    sentence = r"\Ampiexec: the working directory cannot be found \([^\n]*\); change to one that is there, or name it by -wdir\n\Z"
    rows = [
        ("it is named", f"{bench.bin}/mpiexec -n 3 {ring}", 1, r"\A\Z", sentence),
        ("processes, too", f"{bench.bin}/mpiexec --ranks-as processes -n 3 {before} {ring}", 1, r"\A\Z", sentence),
        ("a relative program", f"{bench.bin}/mpiexec -n 3 ./ring", 1, r"\A\Z", sentence),
        ("another one is named", f"{bench.bin}/mpiexec -wdir / -n 3 {ring}", 0, r"\Asum 3\n\Z", r"\A\Z"),
        ("the same for processes", f"{bench.bin}/mpiexec --ranks-as processes -wdir / -n 3 {before} {ring}", 0, r"\Asum 3\n\Z", r"\A\Z"),
        ("and for several", f"{bench.bin}/mpiexec --processes 2 -wdir / -n 3 {ring}", 0, r"\Asum 3\n\Z", r"\A\Z"),
        ("a trace has no place", f"{bench.bin}/mpiexec -wdir / --trace out -n 3 {ring}", 2, r"\A\Z", "--trace is 'out': there is no working dir"),
        ("a directory below it", f"{bench.bin}/mpiexec -wdir sub -n 3 {ring}", 2, r"\A\Z", "argument -wdir is 'sub': No such file"),
        ("help needs none", f"{bench.bin}/mpiexec --help", 0, "OPTIONS", r"\A\Z"),
        ("nor does PATH", f"env PATH=.:/bin {bench.bin}/mpiexec -wdir / --ranks-as threads --show true", 0, "^path=/bin/true$", r"\A\Z"),
        ("mpicc asks for none", f"{bench.bin}/mpicc -showme:compile", 0, "-I", r"\A\Z"),
        ("mpicc links", f"{bench.bin}/mpicc -o {bench.work}/again {bench.programs}/ring.c", 0, r"\A\Z", ""),
    ]
    for shows, line, status, stdout, stderr in rows:
        result = run(line)
        wrong = [f"exit status {result.returncode}"] if result.returncode != status else []
        wrong += [f"{name} does not match" for name, text, wanted in (("stdout", result.stdout, stdout), ("stderr", result.stderr, stderr))
                  if not re.search(wanted, text, re.M)]
        bench.report(f"no working directory: {shows}", wrong, f"$ {line}\n{result.stdout[-500:]}{result.stderr[-500:]}")


def main():
    bench = Bench(sys.argv)
    bench.compile("ring")
    check_no_directory(bench)
    check_limits(bench)
    bench.done()


main()
