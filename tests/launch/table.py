"""Runs a table of command lines and compares what comes out with what must.

A row is (what it shows, command line, status, stdout, stderr). The command line is split as a shell
would; `mpiexec` is the one under test. stdout and stderr are regular expressions that must match
somewhere (flags: multi-line), or None: must be empty. A row may end with a dictionary: `stdin`, `env`.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading

WORKS_AT_A_TIME = 4  # of those whose jobs wait most of the time


class Bench:
    """Where the tests run: the folder with mpiexec and mpicc, and an empty one to work in."""

    def __init__(self, arguments):
        self.bin = pathlib.Path(arguments[1]).resolve()
        self.work = pathlib.Path(arguments[2])
        self.work.mkdir(parents=True, exist_ok=True)
        self.work = self.work.resolve()
        self.programs = pathlib.Path(__file__).resolve().parent / "programs"
        self.failures = 0
        self.telling = threading.Lock()
        # A sanitizer's library must come first in a process, which in programs of mpicc it does not.
        runtime = os.environ.get("HEDDLE_TEST_PRELOAD")
        self.before_programs = ["env", f"LD_PRELOAD={runtime}"] if runtime else []

    def compile(self, *names, flags=(), compiler="mpicc"):
        for name in names:
            suffix = "c" if compiler == "mpicc" else "cpp"
            subprocess.run([self.bin / compiler, "-O1", "-g", *flags, "-o", self.work / name,
                            self.programs / f"{name}.{suffix}"], check=True)

    def command(self, line):
        words = shlex.split(line)
        if words[0] == "mpiexec":
            return [str(self.bin / "mpiexec"), *words[1:]]
        return [*self.before_programs, *words]

    def run(self, line, stdin="", env=None, timeout=360):
        return subprocess.run(self.command(line), cwd=self.work, input=stdin, text=True,
                              capture_output=True, timeout=timeout,
                              env={**os.environ, **(env or {})})

    def check(self, row):
        shows, line, status, stdout, stderr, *more = row
        result = self.run(line, **(more[0] if more else {}))
        wrong = []
        got = result.returncode if result.returncode >= 0 else 128 - result.returncode  # as shells do
        if got != status:
            wrong.append(f"exit status {got}, not {status}")
        for name, text, wanted in (("stdout", result.stdout, stdout),
                                   ("stderr", result.stderr, stderr)):
            if wanted is None and text:
                wrong.append(f"{name} is not empty")
            if wanted is not None and not re.search(wanted, text, re.MULTILINE):
                wrong.append(f"{name} does not match {wanted!r}")
        self.report(shows, wrong, f"$ {line}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")

    def report(self, shows, wrong, output=""):
        with self.telling:
            print(f"{'FAILED' if wrong else 'ok'}: {shows}", flush=True)
            if wrong:
                print("  " + "; ".join(wrong) + "\n" + output, flush=True)
                self.failures += 1

    def side_by_side(self, *works):
        """Calls some functions in threads. What their jobs read and write must be theirs alone."""
        with concurrent.futures.ThreadPoolExecutor(WORKS_AT_A_TIME) as pool:
            for work in [pool.submit(work) for work in works]:
                work.result()

    def done(self):
        sys.exit(f"{self.failures} rows failed" if self.failures else 0)
