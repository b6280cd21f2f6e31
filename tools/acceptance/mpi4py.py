"""mpi4py's own tests, never modified: Python programs, whose ranks are processes.

mpi4py is built from source against our mpi.h; it leaves out the functions that Heddle does not have yet. Then its
helloworld and ringtest run, and its test suite without the tests of functions that are missing.
"""
import os
import re
import subprocess
import sys

VERSION = "4.1.2"
# Debian's own Python: other ones may have been built with other compilers.
PYTHON = "/usr/bin/python3"

# Test modules and tests that are left out, and why.
MODULES = {
    "spawn": "MPI_Comm_spawn is missing",
    "dynproc": "MPI_Comm_connect and its kind are missing",
    "util_pool": "its pools spawn their workers",
    "ulfm": "MPIX functions for fault tolerance are missing",
}
TESTS = {
    "TestSession.testBuffering": "buffers of sessions are missing",
    "testSymbolCoverage": "wants all functions of MPI",
    "testHVector": "numpy refuses the structures that it makes",
}


def add_arguments(parser):
    parser.add_argument("--ranks", default="1,2,3,5", help="numbers of ranks, one job each")
    parser.add_argument("--only", metavar="REGEX", help="test modules whose names it matches, e.g. 'io|file'")


def build(work, prefix, options):
    """Returns the folder of mpi4py's sources; beside it is the environment in which it is installed."""
    sources = work / f"mpi4py-{VERSION}"
    python = work / "venv" / "bin" / "python"
    stamp = work / "built-for"
    if stamp.exists() and stamp.read_text() == str(prefix):
        return sources
    work.mkdir(parents=True, exist_ok=True)

    def step(*command, **variables):
        with open(work / "build.log", "a") as log:
            result = subprocess.run(command, cwd=work, env={**os.environ, **variables}, stdout=log, stderr=log)
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed; {work}/build.log says why")

    step(PYTHON, "-m", "venv", "--clear", work / "venv")
    step(python, "-m", "pip", "install", "numpy")
    step(python, "-m", "pip", "download", "--no-binary", "mpi4py", "--no-deps", f"mpi4py=={VERSION}")
    step("rm", "-rf", sources)  # it remembers which functions there were
    step("tar", "xzf", f"mpi4py-{VERSION}.tar.gz")
    step(python, "-m", "pip", "install", "--no-deps", sources, MPI4PY_BUILD_CONFIGURE="1", MPICC=f"{prefix}/bin/mpicc",
         CFLAGS="-O0 -g0")  # only its results count, and one of its files takes minutes otherwise
    stamp.write_text(str(prefix))
    return sources


def run(sources, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    python = sources.parent / "venv" / "bin" / "python"
    complaints = []

    def job(name, *arguments, limit):
        command = [f"{prefix}/bin/mpiexec", "--ranks-as", "processes", "-n", ranks, python, *arguments]
        with open(folder / f"{name}.txt", "w") as output:
            try:
                status = subprocess.run(command, cwd=sources, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                        timeout=limit).returncode
            except subprocess.TimeoutExpired:
                status = f"none within {limit} s"
        text = (folder / f"{name}.txt").read_text(errors="replace")
        if status != 0:
            complaints.append(f"{name}: status {status}")
            complaints.extend(sorted(set(re.findall(r"^(?:ERROR|FAIL): .*", text, re.M))))
        return text

    hello = job("helloworld", "-m", "mpi4py.bench", "helloworld", limit=300)
    for rank in range(int(ranks)):
        if f"I am process {rank} of {ranks} on " not in hello:
            complaints.append(f"helloworld: nothing of rank {rank}")
    job("ringtest", "-m", "mpi4py.bench", "ringtest", limit=300)

    leave_out = []
    for module in MODULES:
        leave_out += ["-e", module]
    for test in TESTS:
        leave_out += ["-x", test]
    if options.only:
        leave_out += ["-i", options.only]
    text = job("tests", "test/main.py", *leave_out, limit=1800)
    ran = [int(count) for count in re.findall(r"Ran (\d+) tests", text)]
    if len(ran) != int(ranks) or min(ran, default=0) < (1 if options.only else 1000):
        complaints.append(f"tests: the ranks ran {ran} tests")
    print(f"  {min(ran, default=0)} tests, of which mpi4py skips {', '.join(re.findall(r'skipped=([0-9]+)', text)[:1]) or 0}", flush=True)
    for why in sorted({*MODULES.items(), *TESTS.items()}):
        print(f"  left out: {why[0]}: {why[1]}")
    return complaints
