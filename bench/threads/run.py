"""Builds the programs of this folder with any number of MPI libraries, runs them in turns, and notes
everything in a file of JSON lines, which report.py makes a page of.

  run.py --mpi MPICH=/opt/mpich/bin --mpi "Open MPI=/opt/openmpi/bin --oversubscribe" --quick

Words after the folder are flags of mpiexec. Libraries that need environment or variants come from a file: run.py --libraries FILE, a list
  [{"name": "MPICH", "bin": "/opt/mpich/bin"},
   {"name": "MPICH", "variant": "4 VCIs", "bin": "/opt/mpich/bin", "flags": ["-bind-to", "none"],
    "environment": {"MPIR_CVAR_CH4_NUM_VCIS": "4"}, "crowded": {...}, "benches": ["latency"]}]
where `crowded` is further environment when ranks and threads outnumber cores, `benches` limits a variant
to some programs, and `"threaded": true` to runs with several threads. What MPI_Get_library_version says must
contain `says`; without it, what is known of the name. Ctrl-C ends the run and keeps what was measured.
"""
import argparse
import math
import pathlib
import signal
import sys
import time

import build
import jobs
import libraries
import load
import measure
import runs


def number(kind, wanted):
    """The type of an option that must be above 0."""
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"must be {wanted} above 0, not '{text}'")
        return value
    return read


def add_options(parser):
    parser.add_argument("--quick", action="store_true", help="few points, one round: three minutes")
    parser.add_argument("--rounds", type=number(int, "a whole number"), help="default: 3, and 1 with --quick")
    parser.add_argument("--seconds", type=number(float, "seconds"),
                        help="that each point is measured; default: 0.2, and 0.04 with --quick")
    parser.add_argument("--limit", type=number(float, "seconds"), help="seconds after which nothing more is "
                        "started; building does not count; default: none, and 170 with --quick")
    parser.add_argument("--benches", metavar="NAMES", help=f"some of {','.join(runs.BENCHES)}")


def chosen_runs(options):
    planned = runs.quick() if options.quick else runs.full(len(load.cores()))
    if not options.benches:
        return planned
    wanted = options.benches.split(",")
    for name in wanted:
        if name not in runs.BENCHES:
            raise libraries.Mistake(f"there is no program '{name}'; there are {', '.join(runs.BENCHES)}")
    return [run for run in planned if run.bench in wanted]


def write_page(path):
    """The page is worth less than the results: what goes wrong here costs them nothing."""
    import report
    page, missing = report.write([path], path.with_suffix(""))
    print(f"results: {path}\npage:    {page}" + (f"\n{missing}" if missing else ""))


def run_all(chosen, planned, options, builds, folder):
    """Builds, measures and reports; returns the exit status."""
    rounds, seconds, limit, attempts = (1, 0.04, 170, 2) if options.quick else (3, 0.2, math.inf, 3)
    # Also when it was started in the background, where a shell has it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    jobs.adopt_orphans()
    try:
        built, left_out = build.build_all(chosen, builds)
    except KeyboardInterrupt:
        print("\nended while building; nothing was measured")
        return 130
    if not built:
        print("run.py: nothing was measured: no library could be built and run", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / time.strftime("threads-%Y%m%d-%H%M%S.jsonl")
    settings = measure.Settings(options.rounds or rounds, options.seconds or seconds,
                                time.monotonic() + (options.limit or limit), attempts)
    tally = measure.measure(built, left_out, planned, settings, path)
    if tally.good:
        write_page(path)
    elif not tally.ended:
        print(f"run.py: every run failed; the first one: {tally.reason} (all: {path})", file=sys.stderr)
    if tally.failed and tally.good:
        print(f"{tally.failed} runs did not come to their end; the first one: {tally.reason}")
    return tally.status


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", action="append", default=[], metavar="NAME=FOLDER [FLAGS]",
                        help="a library by the folder that has its mpicc and mpiexec, and flags of its mpiexec; may be repeated")
    parser.add_argument("--libraries", metavar="FILE", help="libraries with their settings")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"),
                        help="the folder for the programs; default: build/")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"),
                        help="the folder for the results; default: results/")
    add_options(parser)
    options = parser.parse_args()
    try:
        named = [libraries.of_argument(text) for text in options.mpi]
        listed = libraries.in_file(options.libraries, runs.BENCHES) if options.libraries else []
        chosen, planned = libraries.check(named + listed), chosen_runs(options)
        return run_all(chosen, planned, options, options.build.resolve(), options.results)
    except libraries.Mistake as mistake:
        parser.error(str(mistake))
    except OSError as problem:
        sys.exit(f"run.py: {problem.filename}: {problem.strerror}")


if __name__ == "__main__":
    sys.exit(main())
