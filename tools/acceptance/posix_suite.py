"""The Open POSIX test suite: its conformance programs, as ranks.

Each program is built by our mpicc and started as several ranks at once; each rank is a whole program. What fails is
built by gcc and run as that many processes at once: what fails there, too, is said to and no more.
"""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys

import posix_programs
from debian_source import fetch_original

PACKAGE = "posixtestsuite"
WORDS = ("-std=gnu99", "-O2", "-w", "-D_POSIX_C_SOURCE=200112L", "-D_XOPEN_SOURCE=600")
LIBRARIES = ("-lpthread", "-lrt", "-lm")
LIMIT = 60  # seconds a run
STATUSES = {1: "failed", 2: "unresolved", 4: "unsupported", 5: "untested", None: f"none within {LIMIT} s"}


def add_arguments(parser):
    parser.add_argument("--ranks", default="2", help="numbers of ranks, one job each")
    parser.add_argument("--at-once", type=int, default=4, help="programs that run at a time; most of them sleep")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose names it matches, e.g. pthread_cond_wait/2")


def build(work, prefix, options):
    """Returns the sources of the programs. Each is built just before it runs."""
    suite = work / "suite"
    if not suite.exists():
        archive = fetch_original(PACKAGE, work)
        suite.mkdir()
        subprocess.run(["tar", "xf", archive, "--strip-components=1"], cwd=suite, check=True)
    sources, left_out = posix_programs.chosen(suite / "conformance/interfaces")
    if not sources:
        sys.exit(f"{suite} has no program for us")
    for why, how_many in sorted(left_out.items()):
        print(f"  left out: {how_many}: {why}")
    sources = [source for source in sources if re.match(options.only, posix_programs.name_of(source))]
    return sources[::posix_programs.SMALL] if options.small else sources


def compiled(compiler, source, name, output):
    """Whether a program was built as `name`."""
    words = [*WORDS, f"-I{source.parents[3] / 'include'}", source, *LIBRARIES]
    return subprocess.run([compiler, "-o", name, *words], stdout=output, stderr=output).returncode == 0


def statuses_of(command, copies, folder, output):
    """Exit statuses, without repetitions, of `copies` of a command that run at once; None: the time was up."""
    # A session for each: some programs signal their process group.
    started = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                                cwd=folder) for _ in range(copies)]
    statuses = set()
    for process in started:
        try:
            statuses.add(process.wait(timeout=LIMIT))
        except subprocess.TimeoutExpired:
            statuses.add(None)
        try:
            os.killpg(process.pid, signal.SIGKILL)  # children that it has left, too
        except ProcessLookupError:
            pass
        process.wait()
    return statuses


def verdict(source, folder, prefix, ranks):
    """What a program did: None if it passed, else how it ended in ranks and whether it passes in processes."""
    name = folder / posix_programs.name_of(source).replace("/", "-")
    alone = f"{name}.alone"
    if posix_programs.ONE_RANK.search(source.read_text(errors="replace")):
        ranks = "1"
    with open(f"{name}.txt", "w") as output:
        if compiled(prefix / "bin/mpicc", source, name, output):
            ended = statuses_of([prefix / "bin/mpiexec", "-n", ranks, name], 1, folder, output)
            if ended == {0}:
                return None
            (ended,) = ended
            ended = STATUSES.get(ended, f"status {ended}")
        else:
            ended = "is not built"
        print("--- as processes", file=output, flush=True)
        return ended, compiled("gcc", source, alone, output) and statuses_of([alone], int(ranks), folder, output) == {0}


def run(sources, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        verdicts = list(pool.map(lambda source: verdict(source, folder, prefix, ranks), sources))
    complaints, fail_anywhere, expected = [], [], []
    for source, said in zip(sources, verdicts):
        name = posix_programs.name_of(source)
        if said is None:
            continue
        ended, passes_in_processes = said
        if not passes_in_processes:
            fail_anywhere.append(name)
        elif name in posix_programs.EXPECTED:
            expected.append(name)
        else:
            complaints.append(f"{name}: {ended}")
    if None not in verdicts:
        complaints.append("no program passed")
    for source, said in zip(sources, verdicts):
        if said is None and posix_programs.name_of(source) in posix_programs.EXPECTED:
            print(f"  {posix_programs.name_of(source)} passes now: it may leave the list")
    for why, names in posix_programs.DIFFERENT.items():
        print(f"  fail as expected: {' '.join(sorted(set(names.split()) & set(expected))) or 'none'}: {why}")
    print(f"  {len(sources)} programs, {verdicts.count(None)} passed; these fail as {ranks} processes at once, too: "
          f"{' '.join(fail_anywhere) or 'none'}")
    return complaints
