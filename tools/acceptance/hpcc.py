"""HPC Challenge: HPL, PTRANS, RandomAccess, FFT, STREAM, DGEMM, latency and bandwidth.

C, full of global variables, and it checks its own results (hpccoutf.txt).
"""
import os
import re
import subprocess
import sys

import modes
from debian_source import fetch_original

MAKE_ARCH = """
SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir
RM = /bin/rm -f
TOUCH = touch
ARCH = $(arch)
TOPdir = ../../..
INCdir = $(TOPdir)/include
BINdir = $(TOPdir)/bin/$(ARCH)
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
HPL_INCLUDES = -I$(INCdir) -I$(INCdir)/$(ARCH)
HPL_LIBS = $(HPLlib) -lopenblas -lm
HPL_OPTS = -DHPL_CALL_CBLAS -DHEDDLE_MPI1
HPL_DEFS = $(HPL_OPTS) $(HPL_INCLUDES)
CC = {mpicc}
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O2 -w -Werror=implicit-function-declaration
LINKER = {mpicc}
LINKFLAGS = $(CCFLAGS)
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
"""

INPUT = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{size}         Ns
1            # of NBs
{block}           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{rows}            Ps
{columns}            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""

# (what, a pattern that must be found, one that must not)
CHECKS = [
    ("HPL", r"\|\|A\w?x-b\|\|.*PASSED", r"\|\|A\w?x-b\|\|.*FAILED"),
    ("HPL tests", r"[1-9]\d* tests completed and passed residual checks", r"[1-9]\d* tests completed and failed"),
    ("PTRANS", r"Finished\s+[1-9]\d* tests, with the following results:\n\s+[1-9]\d* tests completed and passed", None),
    ("DGEMM", r"Node\(s\) with error 0", r"Node\(s\) with error [1-9]"),
    ("RandomAccess", r"Found \d+ errors in \d+ locations \(passed\)", r"\(failed\)"),
    ("STREAM", r"Solution Validates", r"Failed Validation"),
    ("FFT", r"MPIFFT_maxErr=\d\.\d+e-1[3-9]", None),
    ("latency", r"MaxPingPongLatency_usec=\d", None),
    ("success", r"^Success=1$", r"^Success=0"),
]


def add_arguments(parser):
    parser.add_argument("--ranks", default="2,4,16,64", help="numbers of ranks to run it with")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, _options):
    """Builds hpcc with the prefix's mpicc; returns the executable."""
    tarball = fetch_original("hpcc", work)
    mpicc = prefix / "bin/mpicc"
    log = work / "build.log"
    print(f"building hpcc with {mpicc}", flush=True)
    with open(log, "w") as output:
        def do(*command, folder=work):
            run = subprocess.run(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
            if run.returncode:
                sys.exit(f"{' '.join(map(str, command))} failed:\n{log.read_text()[-3000:]}")

        for old in work.glob("hpcc-*/"):
            do("rm", "-rf", old)
        do("tar", "-xf", tarball)
        source = next(work.glob("hpcc-*/"))
        (source / "hpl/Make.heddle").write_text(MAKE_ARCH.replace("{mpicc}", str(mpicc)))
        do("make", "arch=heddle", f"-j{os.cpu_count()}", folder=source)
    return source / "hpcc"


def process_grid(ranks):
    rows = max(i for i in range(1, int(ranks**0.5) + 1) if ranks % i == 0)
    return rows, ranks // rows


def judge(text):
    complaints = []
    for what, wanted, unwanted in CHECKS:
        if not re.search(wanted, text, re.MULTILINE):
            complaints.append(f"{what}: there is no line like {wanted}")
        bad = unwanted and re.search(f"^.*{unwanted.removeprefix('^')}.*$", text, re.MULTILINE)
        if bad:
            complaints.append(f"{what}: {bad[0].strip()}")
    return complaints


def run(executable, folder, prefix, ranks, options):
    """Runs it in a folder of its own; returns what is wrong with the result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hpccoutf.txt").unlink(missing_ok=True)
    rows, columns = process_grid(int(ranks))
    (folder / "hpccinf.txt").write_text(INPUT.format(
        size=400 if options.small else 1000, block=32 if options.small else 64, rows=rows, columns=columns))
    # OpenBLAS is safe for threads, and large: ranks share it.
    shared = [] if options.mode == "processes" else ["--share-library", "libopenblas"]
    with modes.mpiexec(prefix, options) as mpiexec:
        command = [*mpiexec, "-x", "OPENBLAS_NUM_THREADS", *shared, "-n", ranks, executable]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        try:
            result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                                    timeout=900)
        except subprocess.TimeoutExpired:
            return ["it did not end within 900 seconds"]
    complaints = []
    if result.returncode:
        complaints.append(f"exit status {result.returncode}: {(result.stdout + result.stderr)[-1000:]}")
    if not (folder / "hpccoutf.txt").exists():
        return complaints + ["it wrote no hpccoutf.txt"]
    return complaints + judge((folder / "hpccoutf.txt").read_text())
