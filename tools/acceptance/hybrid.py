"""Proxy applications with MPI and OpenMP: LULESH, miniFE, CoMD and Quicksilver, which check themselves.

What they compute must also be what the same program says that gcc built without MPI and OpenMP, and what its authors have
published. `--peer` runs them with another MPI, too: its figures are judged in the same way.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import modes
from git_source import fetch_commit
from proxies import PROXIES

LIMIT = 1800  # seconds a run
PARALLEL, ALONE, PEER = "ranks", "alone", "peer"


def add_arguments(parser):
    parser.add_argument("--ranks", default="1,6,8,27,64", help="numbers of ranks; LULESH takes cubes of them")
    parser.add_argument("--threads", default="2,4", help="numbers of threads of each rank")
    parser.add_argument("--workers", default="1,2", help="numbers of workers of a process")
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"of {', '.join(proxy.name for proxy in PROXIES)}")
    parser.add_argument("--options", default="", metavar="WORDS", help="more words for mpiexec, e.g. '--balance'")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    parser.add_argument("--peer", type=pathlib.Path, metavar="PREFIX", help="of another MPI with bin/mpicc, mpicxx, mpiexec")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def _compilers(kind, prefix, options):
    if kind == ALONE:
        return "gcc", "g++"
    folder = (options.peer if kind == PEER else prefix).resolve() / "bin"
    return str(folder / "mpicc"), str(folder / "mpicxx")


def _build_once(proxy, kind, source, work, compilers):
    """The program, built in a copy of its source."""
    copy = work / kind / proxy.repository.replace("/", "-")
    folder = copy / (kind == ALONE and proxy.folder_alone or proxy.folder)
    stamp = copy / "built-with"
    command = [*proxy.make(*compilers, kind != ALONE), f"-j{os.cpu_count()}"]
    made = f"{proxy.commit} {command}"
    if not (stamp.exists() and stamp.read_text() == made):
        print(f"building {proxy.name} with {compilers[0]}", flush=True)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        with open(work / f"build-{proxy.name}-{kind}.log", "w") as log:
            if subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
                sys.exit(f"{' '.join(command)} failed: see {log.name}")
        stamp.write_text(made)
    return folder / proxy.program


def build(work, prefix, options):
    """Returns what was built: (proxy, source, {kind: program}) of each proxy that is asked for."""
    work.mkdir(parents=True, exist_ok=True)
    names = options.only.split(",") if options.only else [proxy.name for proxy in PROXIES]
    if unknown := set(names) - {proxy.name for proxy in PROXIES}:
        sys.exit(f"there is no {', '.join(sorted(unknown))}")
    kinds = [PARALLEL, ALONE] + ([PEER] if options.peer else [])
    built = []
    for proxy in (proxy for proxy in PROXIES if proxy.name in names):
        source = fetch_commit(proxy.repository, proxy.commit, work, options.sources)
        proxy.prepare(source)
        programs = {kind: _build_once(proxy, kind, source, work, _compilers(kind, prefix, options)) for kind in kinds}
        built.append((proxy, source, programs))
    return built


def _said(command, folder, environment=None):
    """Exit status and output; status None: the time was up. Programs leave files, so each run has a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / "output.txt", "w") as output:
        print("$", *command, file=output, flush=True)
        try:
            status = subprocess.run(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    timeout=LIMIT, env={**os.environ, **(environment or {})}).returncode
        except subprocess.TimeoutExpired:
            status = None
    return status, (folder / "output.txt").read_text(errors="replace")


def _alone(proxy, program, words, folder):
    """What the program says without MPI and OpenMP."""
    status, text = _said([program, *words], folder)
    if status != 0:
        sys.exit(f"{proxy.name} alone: status {status}: {text[-1000:]}")
    return text


def _jobs(options, mpiexec, ranks):
    """(kind, name, command before the program, environment) of each way to run it."""
    for threads in options.threads.split(","):
        environment = {"OMP_NUM_THREADS": threads}
        for workers in options.workers.split(","):
            command = [*mpiexec, "-x", "OMP_NUM_THREADS", "--workers", workers, *options.options.split(), "-n", ranks]
            yield PARALLEL, f"{options.mode}-openmp-{threads}-workers-{workers}", command, environment
        if options.peer:
            yield PEER, f"peer-openmp-{threads}", [options.peer.resolve() / "bin/mpiexec", "-n", ranks], environment


def run(built, folder, prefix, ranks, options):
    """Returns what is wrong."""
    complaints, runs = [], 0
    with modes.mpiexec(prefix, options) as mpiexec:
        for proxy, source, programs in built:
            words = proxy.arguments(int(ranks), options.small, source)
            if words is None:
                print(f"  {proxy.name}: not with {ranks} ranks", flush=True)
                continue
            words_alone = proxy.alone(int(ranks), options.small, source)
            reference = _alone(proxy, programs[ALONE], words_alone, folder / f"{proxy.name}-alone")
            for kind, name, command, environment in _jobs(options, mpiexec, ranks):
                status, text = _said([*command, programs[kind], *words], folder / f"{proxy.name}-{name}", environment)
                runs += 1
                wrong = proxy.wrong(text, reference, proxy.published.get(tuple(words_alone), {}))
                if status != 0:
                    wrong = [f"status {status}: {text[-1000:]}", *wrong]
                complaints += [f"{proxy.name}, {name}: {what}" for what in wrong]
    if not runs:
        complaints.append("nothing was run")
    print(f"  {runs} runs", flush=True)
    return complaints
