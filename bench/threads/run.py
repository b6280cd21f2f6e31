"""Builds the programs of this folder with any number of MPI libraries, runs them in turns, and notes
everything in a file of JSON lines, which report.py makes a page of.

  run.py --mpi MPICH=/opt/mpich/bin --mpi "Open MPI=/opt/openmpi/bin" --quick

Libraries that need options, environment or variants come from a file: run.py --libraries FILE, a list
  [{"name": "MPICH", "bin": "/opt/mpich/bin"},
   {"name": "MPICH", "variant": "4 VCIs", "bin": "/opt/mpich/bin", "flags": ["-bind-to", "none"],
    "environment": {"MPIR_CVAR_CH4_NUM_VCIS": "4"}, "crowded": {...}, "benches": ["latency"]}]
where `crowded` is further environment when ranks and threads outnumber cores, `benches` limits a variant
to some programs, and `"threaded": true` to runs with several threads. Ctrl-C ends the run and keeps what was measured.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time
import typing

import jobs
import runs

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Library:
    """An MPI library with its settings; `environ` makes them for a number of strands."""
    name: str
    bin: pathlib.Path
    environ: typing.Callable[[int], dict]
    flags: tuple = ()
    variant: str = ""
    benches: tuple = ()  # none: all
    threaded: bool = False  # only runs with several threads

    @property
    def label(self):
        return f"{self.name}, {self.variant}" if self.variant else self.name

    def takes(self, run):
        return (not self.benches or run.bench in self.benches) and (run.threads > 1 or not self.threaded)

    def folder(self, build):
        return build / re.sub(r"\W+", "-", self.name.lower())

    def command(self, run, build, seconds):
        return [str(x) for x in (self.bin / "mpiexec", *self.flags, "-n", run.ranks,
                                 self.folder(build) / run.bench, *run.options.split(),
                                 "--seconds", seconds, "--output", "json")]


def cores():
    return len(os.sched_getaffinity(0))


def with_environment(environment, crowded):
    return lambda strands: {**os.environ, **environment, **(crowded if strands > cores() else {})}


def libraries_in(path):
    def library(entry):
        return Library(entry["name"], pathlib.Path(entry["bin"]),
                       with_environment(entry.get("environment", {}), entry.get("crowded", {})),
                       tuple(entry.get("flags", ())), entry.get("variant", ""),
                       tuple(entry.get("benches", ())), entry.get("threaded", False))
    return [library(entry) for entry in json.loads(pathlib.Path(path).read_text())]


def library_of(text):
    name, _, folder = text.partition("=")
    if not folder:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=FOLDER")
    return Library(name, pathlib.Path(folder).resolve(), with_environment({}, {}))


def build_all(libraries, build):
    for name, library in {library.name: library for library in libraries}.items():
        print(f"building with {name}", flush=True)
        subprocess.run(["make", "-s", f"-j{cores()}", "-C", HERE, f"MPICC={library.bin / 'mpicc'}",
                        f"OUT={library.folder(build)}"], check=True, env=library.environ(1))


class Notes:
    """The file of results; a line is there as soon as it is known."""

    def __init__(self, path):
        self.file = open(path, "w")

    def add(self, **line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def cpu_name():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def cache_line_trip(machine):
    """ns of a cache line to the other core and back; on virtual machines it jumps."""
    output = subprocess.run([machine, "trip"], capture_output=True, text=True).stdout
    found = re.search(r"trip_ns (\S+)", output)
    return float(found[1]) if found else None


def results_in(output):
    """The JSON lines, and whatever else was said."""
    lines, rest = [], []
    for line in output.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            rest.append(line)
    return lines, "\n".join(rest)


def run_one(library, run, build, seconds, notes, round_number, trip):
    """Returns whether the library came to the end of it, and what to show."""
    timeout = 5 + 200 * seconds  # no program has 30 points, and most libraries need little more than that
    output, status = jobs.run(library.command(run, build, seconds), library.environ(run.strands), timeout)
    lines, said = results_in(output)
    for line in lines:
        notes.add(**line, label=library.label, name=library.name, variant=library.variant,
                  round=round_number, trip_ns=trip, load=os.getloadavg()[0])
    if status == 0:
        return True, "  ".join(f"{line['median']:.4g} {line['unit']}" for line in lines[:4])
    why = f"gave up after {timeout:.0f} s" if status is None else f"status {status}"
    notes.add(failed=why, bench=run.bench, options=run.options, label=library.label, name=library.name,
              variant=library.variant, said=said[-500:])
    return False, why + (f": {said.splitlines()[0]}" if said and status is not None else "")


def measure(libraries, planned, rounds, seconds, deadline, build, path):
    """Runs everything in turns; starts nothing after the deadline, and ends at Ctrl-C or SIGTERM."""
    notes = Notes(path)
    notes.add(machine=platform.node(), cores=cores(), cpu=cpu_name(), system=platform.platform(),
              date=time.strftime("%Y-%m-%d %H:%M"), rounds=rounds, seconds=seconds)
    machine = libraries[0].folder(build) / "machine"
    todo = [(number, run, library) for number in range(rounds) for run in planned
            for library in libraries if library.takes(run)]
    # Also when it was started in the background, where a shell has it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    begin, hopeless, turn, trip = time.monotonic(), set(), None, None
    try:
        for index, (number, run, library) in enumerate(todo):
            if time.monotonic() > deadline:
                print(f"the time is up: {len(todo) - index} of {len(todo)} runs were left out")
                break
            if (library.label, run.key) in hopeless:
                continue
            if turn != (number, run):
                turn, trip = (number, run), cache_line_trip(machine)
            fine, shown = run_one(library, run, build, seconds, notes, number, trip)
            if not fine:
                hopeless.add((library.label, run.key))
            print(f"[{index + 1:3}/{len(todo)} {time.monotonic() - begin:5.0f} s] {library.label:16} "
                  f"{run.key:58} {shown}", flush=True)
    except KeyboardInterrupt:
        print("\nended; what was measured is kept")


def add_options(parser):
    parser.add_argument("--quick", action="store_true", help="few points, one round: three minutes")
    parser.add_argument("--rounds", type=int, help="default: 3, and 1 with --quick")
    parser.add_argument("--seconds", type=float, help="that each point is measured; default: 0.2, and "
                        "0.04 with --quick")
    parser.add_argument("--limit", type=float, help="seconds after which nothing more is started; "
                        "default: none, and 150 with --quick")
    parser.add_argument("--benches", metavar="NAMES", help=f"some of {','.join(runs.BENCHES)}")


def chosen_runs(parser, options):
    planned = runs.quick() if options.quick else runs.full()
    if not options.benches:
        return planned
    wanted = options.benches.split(",")
    for name in wanted:
        if name not in runs.BENCHES:
            parser.error(f"there is no '{name}'; there are {', '.join(runs.BENCHES)}")
    return [run for run in planned if run.bench in wanted]


def run_all(libraries, planned, options, build, results):
    """Builds, measures and reports; returns where the page is."""
    begin = time.monotonic()
    import report  # it needs matplotlib, which measuring does not
    build_all(libraries, build)
    results.mkdir(parents=True, exist_ok=True)
    path = results / time.strftime("threads-%Y%m%d-%H%M%S.jsonl")
    rounds, seconds, limit = (1, 0.04, 150) if options.quick else (3, 0.2, float("inf"))
    measure(libraries, planned, options.rounds or rounds, options.seconds or seconds,
            begin + (options.limit or limit), build, path)
    page = report.write([path], path.with_suffix(""))
    print(f"results: {path}\npage:    {page}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", type=library_of, action="append", default=[], metavar="NAME=FOLDER",
                        help="a library by the folder that has its mpicc and mpiexec; may be repeated")
    parser.add_argument("--libraries", metavar="FILE", help="libraries with their settings")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"),
                        help="the folder for the programs; default: build/")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"),
                        help="the folder for the results; default: results/")
    add_options(parser)
    options = parser.parse_args()
    libraries = options.mpi + (libraries_in(options.libraries) if options.libraries else [])
    if not libraries:
        parser.error("no library: --mpi NAME=FOLDER or --libraries FILE")
    run_all(libraries, chosen_runs(parser, options), options, options.build.resolve(), options.results)


if __name__ == "__main__":
    sys.exit(main())
