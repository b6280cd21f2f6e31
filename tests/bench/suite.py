"""Stand-ins for the tests of bench/threads: result lines, files of them, and an MPI library of scripts."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUITE = pathlib.Path(__file__).resolve().parents[2] / "bench/threads"
sys.path.append(str(SUITE))

# Debian's Python has python3-matplotlib; another one that CMake has found may not.
PYTHON = sys.executable if importlib.util.find_spec("matplotlib") else "/usr/bin/python3"


def line(median, label="One", better="less", reach=None, bench="latency", quantity="half round trip",
         **more):
    """A line as run.py notes it; `reach`: its quartiles."""
    low, high = reach or (median, median)
    parameters = more.pop("parameters", {"mode": "threads", "pairs": 4, "comms": "shared", "buffers": "cached",
                                       "size": 8})
    return {"bench": bench, "quantity": quantity, "library": label, "version": "1.0",
            "parameters": parameters, "unit": "us", "better": better, "median": median, "p25": low,
            "p75": high, "samples": 10, "label": label, "name": label, **more}


MACHINE = {"machine": "here", "cores": 2, "cpu": "a cpu", "system": "a system", "date": "2026-01-01 00:00",
           "rounds": 3, "seconds": 0.1}

# Creates what make wants of it; asked with -show, tells what FAKE_FLAGS makes of its command.
MPICC = """#!/bin/sh
[ "$1" = -show ] && { echo "cc $FAKE_FLAGS"; exit 0; }
case "$FAKE" in nocompile*) echo "mpicc: first words" >&2; echo "x.c:1: error: no such thing" >&2; exit 1 ;;
                slowcompile*) sleep 60 ;; esac
while [ $# -gt 0 ]; do [ "$1" = -o ] && { touch "$2"; chmod +x "$2"; }; shift; done
"""

MPIEXEC = """#!PYTHON
import json, os, pathlib, sys, time
how, bench = os.environ.get("FAKE", ""), pathlib.Path(sys.argv[3]).name
with open(os.environ["FAKE_CALLS"], "a") as calls:
    calls.write(os.environ.get("FAKE_NAME", "MPICH") + " " + " ".join([bench, *sys.argv[4:]]) + "\\n")
first = "--level single --sizes 0 " in " ".join(sys.argv) + " "
if how == "fails" and not first:
    print("Abort(1): no network\\nmore words"); sys.exit(7)
if how == "fails at once":
    print("-------\\nno such device"); sys.exit(3)
if how == "rubbish":
    sys.stdout.buffer.write(b"\\xff\\xfe[1, 2]\\n17\\n{}\\n{\\"bench\\": 1}\\n"); sys.exit(0)
if how == "orphan":
    if os.fork() == 0:
        os.setsid(); pathlib.Path(os.environ["FAKE_PID"]).write_text(str(os.getpid())); time.sleep(600)
print("a warning of the library")
for size in (0, 8):
    print(json.dumps({"bench": bench, "quantity": "half round trip", "library": os.environ.get("FAKE_NAME", "MPICH"),
                      "version": "1.0", "library_says": os.environ.get("FAKE_NAME", "MPICH") + " Version: 1.0",
                      "parameters": {"level": "single" if "single" in sys.argv else "multiple", "size": size},
                      "unit": "us", "better": "less", "median": 1.5, "p25": 1.4, "p75": 1.6, "samples": 9}))
"""


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heddle_bench_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results(self, *lines, name="results.jsonl", cut=0):
        """A file of these lines, without its last `cut` characters."""
        path = self.folder / name
        text = "".join(json.dumps(one) + "\n" for one in lines)
        path.write_text(text[:len(text) - cut])
        return path

    def library(self, name="mpi"):
        """The folder of a library that consists of scripts."""
        folder = self.folder / name / "bin"
        folder.mkdir(parents=True)
        for program, text in (("mpicc", MPICC), ("mpiexec", MPIEXEC.replace("PYTHON", sys.executable))):
            (folder / program).write_text(text)
            (folder / program).chmod(0o755)
        return folder

    def libraries(self, *entries):
        """A file of libraries."""
        path = self.folder / "libraries.json"
        path.write_text(json.dumps(entries))
        return path

    def script(self, name, *arguments, suite=SUITE, **environment):
        return subprocess.run([PYTHON, suite / name, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300,
                              env={**os.environ, "FAKE_CALLS": str(self.folder / "calls"), **environment})

    def hide_matplotlib(self):
        (self.folder / "matplotlib.py").write_text("raise ImportError('not there')")
        return {"PYTHONPATH": str(self.folder)}

    def measure(self, *arguments, quick=True, **environment):
        """run.py with as little as can be: one program, no figures, no real compiler."""
        compiler = self.folder / "cc"
        compiler.write_text(MPICC)
        compiler.chmod(0o755)
        environment = {"CC": str(compiler), **self.hide_matplotlib(), **environment}
        return self.script("run.py", *["--quick"] * quick, "--benches", "overhead", "--seconds", "0.001", *arguments,
                           **environment)

    def assert_refused(self, result, *words):
        """Status 2 and one sentence with these words, after argparse's usage."""
        said = result.stderr.splitlines()[-1] if result.stderr else ""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        for word in words:
            self.assertIn(word, said)

    def noted(self, key=None):
        """The lines of the newest results file; with `key`, those that have it."""
        path = max((self.folder / "results").glob("*.jsonl"))
        lines = [json.loads(text) for text in path.read_text().splitlines()]
        return [one for one in lines if key is None or key in one]
