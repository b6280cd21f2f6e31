"""LLVM's own tests of its OpenMP, as ranks: every rank is a whole test, with teams, tasks, locks and nested teams of its own.

What fails is run once more as an ordinary process, with the same libomp: what fails there, too, is said to and no more.
Tests that compare printed text, need another environment, or are about tools (OMPT) and binding are not run.
"""
import os
import re
import subprocess
import sys

from debian_source import fetch_original

PACKAGE = "llvm-toolchain-14"
LIBRARIES = "/usr/lib/llvm-14/lib"
RUN_ALONE = "// RUN: %libomp-compile-and-run"
FOLDERS = ("api", "atomic", "barrier", "critical", "flush", "lock", "master", "misc_bugs", "parallel", "tasking",
           "teams", "threadprivate", "worksharing")
LIMIT = 120  # seconds a run
# Tests that are left out, and why.
TESTS = {
    "bug_nested_proxy_task": "leaves bits of a structure unset that libomp looks at",
    "omp_task_final": "waits for about a minute in a process, too",
}
WORDS = ("-O1", "-w", "-fopenmp", "-D_GNU_SOURCE")


def add_arguments(parser):
    parser.add_argument("--ranks", default="2", help="numbers of ranks, one job each")


def build(work, prefix, options):
    """Returns the folder of the programs: NAME for ranks, NAME.alone for a process."""
    tests = work / "openmp/runtime/test"
    if not tests.exists():
        archive = fetch_original(PACKAGE, work)
        subprocess.run(["tar", "xf", archive, "--strip-components=1", "--wildcards", "*/openmp/runtime/test/*"],
                       cwd=work, check=True)
    programs = work / "programs"
    stamp = programs / "built-for"
    if stamp.exists() and stamp.read_text() == str(prefix):
        return programs
    programs.mkdir(exist_ok=True)
    chosen = [test for folder in FOLDERS for test in sorted((tests / folder).rglob("*.c"))
              if RUN_ALONE in test.read_text(errors="replace").splitlines()]
    if not chosen:
        sys.exit(f"{tests} has no test that is run alone")
    with open(work / "build.log", "w") as log:
        for test in chosen:
            name = programs / test.stem
            alone = subprocess.run(f"gcc {' '.join(WORDS)} -c -I{tests} -o {name}.o {test} && "
                                   f"gcc -o {name}.alone {name}.o -L{LIBRARIES} -lomp -lm -lpthread && rm {name}.o",
                                   shell=True, stdout=log, stderr=log)
            if alone.returncode != 0:
                continue  # not for this compiler: its log says why
            subprocess.run([prefix / "bin/mpicc", *WORDS, f"-I{tests}", "-o", name, test, "-lm"], stdout=log,
                           stderr=log, check=True)
    stamp.write_text(str(prefix))
    return programs


def status_of(command, folder):
    """Exit status; None: the time was up."""
    with open(folder / "output.txt", "a") as output:
        print("$", *command, file=output, flush=True)
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=LIMIT,
                                  env={**os.environ, "LD_LIBRARY_PATH": LIBRARIES}).returncode
        except subprocess.TimeoutExpired:
            return None


def run(programs, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "output.txt").unlink(missing_ok=True)
    tests = [test for test in sorted(programs.glob("*.alone")) if test.stem not in TESTS]
    if options.small:
        tests = tests[::4]
    complaints, fail_anywhere = [], []
    for test in tests:
        name = test.stem
        status = status_of([prefix / "bin/mpiexec", "-n", ranks, programs / name], folder)
        if status == 0:
            continue
        if status_of([test], folder) != 0:
            fail_anywhere.append(name)
        else:
            complaints.append(f"{name}: " + (f"status {status}" if status is not None else f"none within {LIMIT} s"))
    for why in sorted(TESTS.items()):
        print(f"  left out: {why[0]}: {why[1]}")
    print(f"  {len(tests)} tests; these fail as processes, too: {' '.join(fail_anywhere) or 'none'}")
    return complaints
