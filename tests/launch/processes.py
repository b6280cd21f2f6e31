"""A rank is a process in what its program sees of itself: the state of its processor, its descriptors, what it has
printed, and its end by a signal."""
import os
import shlex
import signal
import subprocess
import sys

from table import Bench


def compile_floats(bench):
    """Once with the code that looks at flags in the program, once with it in a plugin."""
    source = bench.programs / "floats.c"
    for output, options in (("floats", ["-DWITH_LOOK"]), ("floats_by_plugin", []),
                            ("floats.so", ["-DWITH_LOOK", "-DPLUGIN", "-shared", "-fPIC"])):
        subprocess.run([bench.bin / "mpicc", "-O1", "-g", *options, "-o", bench.work / output, source, "-lm"], check=True)


def rows():
    for workers in (1, 2):
        for program in ("floats", "floats_by_plugin {work}/floats.so"):
            yield (f"flags and traps of floating point are a rank's own: {program.split()[0]}, {workers} workers",
                   f"mpiexec -n 4 --workers {workers} ./{program}", 0, r"\A(0 wrong\n){4}\Z", None)


TERMINATED = 128 + signal.SIGTERM
HERE = r"(?=(?s:.*)^rank 0 is here$)(?=(?s:.*)^rank 1 is here$)(?=(?s:.*)^rank 2 is here$)(?=(?s:.*)^last words$)(?!(?s:.*)goes on)"


def last_words():
    """What every rank has printed appears once, however the job ends: a batch job's output is no terminal."""
    for way, status, sentence in (("_exit", 3, "rank 1"), ("quick_exit", 3, "rank 1"), ("exit", 3, "rank 1"),
                                  ("MPI_Abort", 3, "rank 1"), ("abort", 134, "^rank 1 crashed"),
                                  ("'bad pointer'", 139, "^rank 1 crashed"), ("overflow", 139, "^rank 1 .* overflowed"),
                                  ("raise 15", TERMINATED, "^mpiexec: rank 1 raised SIGTERM ")):
        for workers in (1, 2):
            yield (f"what was printed appears: {way}, {workers} workers",
                   f"sh -c 'ulimit -s 8192; {{mpiexec}} -n 3 --workers {workers} ./last_words \"$@\"' sh {way}", status,
                   rf"\A(?!(?s:.*)(rank . is here)(?s:.*)\1){HERE}", sentence)
    yield ("with labels, too", "mpiexec -n 3 -l ./last_words abort", 134,
           r"\A(?=(?s:.*)^\[0\] rank 0 is here$)(?=(?s:.*)^\[1\] rank 1 is here\n\[1\] last words$)", "^rank 1 crashed")


def signals_without_handler():
    """One sentence names the signal and, where there is one, the rank."""
    names = ["HUP", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO", "PWR", "STKFLT", "INT", "TERM", "QUIT"]
    numbers = [(f"SIG{name}", int(getattr(signal, f"SIG{name}", 16))) for name in names]
    numbers += [("SIGRTMIN\\+0", signal.SIGRTMIN), ("SIGRTMIN\\+5", signal.SIGRTMIN + 5)]
    for name, number in numbers:
        said = "SIGPOLL" if name == "SIGIO" else name
        for way in ("raise",) if under_sanitizer() else ("raise", "kill"):
            yield (f"a sentence says which rank ended the job: {way}, {name}", f"mpiexec -n 3 ./last_words {way} {number}",
                   128 + number, HERE, rf"\Ampiexec: rank 1 raised {said} \(.*\) without a handler for it, the job ends\n\Z")


def closed_descriptors(bench):
    for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"):
        command = f"{bench.bin / 'mpiexec'} -n 3 ./closed {closed}"
        result = bench.run(shlex.join(["sh", "-c", command]))
        wrong = [f"exit status {result.returncode}"] if result.returncode != 0 else []
        for rank in range(3):
            text = (bench.work / f"closed.{rank}").read_text()
            if text != f"line of rank {rank}\n":
                wrong.append(f"the file of rank {rank} has {text[:60]!r}")
        bench.report(f"files are a rank's own where the job begins with {closed}", wrong, result.stdout + result.stderr)


def all_raise(bench):
    wrong = []
    for _ in range(20):
        result = bench.run(f"mpiexec -n 4 --workers 2 ./last_words 'all raise' {signal.SIGTERM}")
        if result.returncode not in (-signal.SIGTERM, TERMINATED) or "goes on" in result.stdout:
            wrong = [f"exit status {result.returncode}"]
            break
    bench.report("no rank goes on after a signal that several raise", wrong, result.stdout + result.stderr)


def under_sanitizer():
    """Then kill() is libc's (exec/process/signals/exports/signal_exports.cpp): its signal comes as if from outside."""
    return "HEDDLE_TEST_PRELOAD" in os.environ


def main():
    bench = Bench(sys.argv)
    compile_floats(bench)
    bench.compile("closed")
    bench.compile("last_words")
    for row in (*rows(), *last_words(), *signals_without_handler()):
        shows, line, *rest = row
        line = line.replace("{work}", str(bench.work)).replace("{mpiexec}", str(bench.bin / "mpiexec"))
        bench.check((shows, line, *rest))
    closed_descriptors(bench)
    all_raise(bench)
    bench.done()


main()
