"""Intel's IMB-IO: reads and writes of all kinds, by one rank, by all in one file and by each in a file of its own, built to check their data."""
import pathlib
import re
import subprocess

import imb
import modes
from git_source import fetch_commit

LIMIT = 1200  # seconds a run
# IMB checks these by arrays that it allocates in other programs only (reccnt and rdispl, in IMB_mem_manager.c), and fails.
LEFT_OUT = tuple(f"{kind}_Shared" for kind in ("P_Write", "P_IWrite", "P_Read", "P_IRead", "C_Read", "C_IRead"))
KINDS = 37 - len(LEFT_OUT)  # 36 kinds of accesses, and opening and closing


def add_arguments(parser):
    parser.add_argument("--ranks", default="4", help="numbers of ranks")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def build(work, prefix, options):
    """Returns the program."""
    work.mkdir(parents=True, exist_ok=True)
    stamp, made = work / "built-for", f"{prefix} {imb.IMB}"
    if stamp.exists() and stamp.read_text() == made:
        return work / "IMB-IO"
    repository, commit, folders = imb.IMB
    source = fetch_commit(repository, commit, work, options.sources, folders)
    with open(work / "build.log", "w") as log:
        imb.build(source, work, ("IO",), prefix / "bin/mpicc", log)
    stamp.write_text(made)
    return work / "IMB-IO"


def wrong_in(text):
    """What is wrong with the output of IMB-IO, or nothing."""
    told = set(re.findall(r"^# Benchmarking (\S+)", text, re.M))
    return imb.wrong_in(text) if len(told) == KINDS else f"it tells {len(told)} of {KINDS} kinds"


def run(program, folder, prefix, ranks, options):
    """Returns what is wrong."""
    place = folder / options.mode  # its files get the same names in all modes
    place.mkdir(parents=True, exist_ok=True)
    amount = ["-iter", "2", "-msglog", "4:12"] if options.small else ["-iter", "10", "-msglog", "2:22"]
    with modes.mpiexec(prefix, options) as mpiexec:
        command = ["timeout", "-k", "10", LIMIT, *mpiexec, "-n", ranks, program, *amount, "-exclude", ",".join(LEFT_OUT)]
        result = subprocess.run(list(map(str, command)), cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace")
    (place / "output.txt").write_text(result.stdout)
    wrong = f"status {result.returncode}" if result.returncode else wrong_in(result.stdout)
    return [f"{wrong}: {result.stdout[-1000:]}"] if wrong else []
