"""The papers' experiments, one command a figure: `./dev papers [NAME...]`. NAME is a paper (lifetime, channels, suite, mpc) or
one of its experiments (suite/overlap). Each prints what the paper found beside what this machine finds, and draws its figure.

Programs run with the papers' parameters, scaled by the number of cores only; --quick takes a look with smaller ones. Runs take turns
in every round, so a machine that changes its speed does not decide. What is missing (a counter, another MPI, cores) is said in a
sentence, and the rest goes on. docs/papers.md has a row for each experiment.
"""
import argparse
import json
import os
import pathlib
import shlex
import signal
import sys
import time

import frame
import shown

sys.path.insert(0, str(frame.ROOT / "bench/compare"))
sys.path.insert(0, str(frame.ROOT / "tools"))
import channels  # noqa: E402
import jobs  # noqa: E402
import kept  # noqa: E402
import lifetime  # noqa: E402
import load  # noqa: E402
import mpc  # noqa: E402
import mpis  # noqa: E402
import programs  # noqa: E402
import thread_suite  # noqa: E402

PAPERS = {"lifetime": lifetime, "channels": channels, "suite": thread_suite, "mpc": mpc}


def read_options():
    parser = argparse.ArgumentParser(prog="./dev papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="papers or experiments; default: all")
    parser.add_argument("--quick", action="store_true", help="one round of smaller problems: some minutes for all")
    parser.add_argument("--overwrite", action="store_true", help="keep these results in results/papers also where better ones are there")
    parser.add_argument("--dry-run", action="store_true", help="only print the commands")
    parser.add_argument("--prefix", default=frame.ROOT / "build/release", type=pathlib.Path, help="where bin/mpiexec is; default: build/release")
    options = parser.parse_args()
    options.prefix = options.prefix.resolve()
    return parser, options


def chosen_figures(parser, names, machine):
    figures = [figure for paper in PAPERS.values() for figure in paper.figures(machine)]
    known = {*PAPERS, *(figure.name for figure in figures)}
    for name in names:
        if name not in known:
            parser.error(f"there is no experiment '{name}'; there are {', '.join(sorted(known))}")
    return [figure for figure in figures if not names or figure.name in names or figure.name.split("/")[0] in names]


class Libraries:
    """Builds the programs with each library when they are first needed, and says how one is started."""

    def __init__(self, prefix, dry):
        self.prefix, self.dry = prefix, dry
        self.folders, self.missing = {}, {}

    def bin(self, name):
        return self.prefix / "bin" if name == frame.HEDDLE else mpis.BY_NAME[name].bin

    def folder(self, name):
        where = self.prefix.name if name == frame.HEDDLE else name
        return frame.ROOT / "build/bench/papers" / where

    def need(self, name):
        """True if its programs are built; a sentence of why not is in `missing`."""
        if name == frame.BARE or self.dry or name in self.folders:
            return True
        if name not in self.missing:
            problem = self.build(name)
            if problem:
                self.missing[name] = problem
            else:
                self.folders[name] = self.folder(name)
        return name in self.folders

    def build(self, name):
        """A sentence of what went wrong, or None."""
        print(f"building the programs with {name}", flush=True)
        try:
            if name != frame.HEDDLE:
                mpis.BY_NAME[name].install()
            folder = self.folder(name)
            folder.mkdir(parents=True, exist_ok=True)
            mpicc = self.bin(name) / "mpicc"
            if not os.access(mpicc, os.X_OK):
                return f"{name} is not there: there is no {mpicc}"
            made = jobs.run(["make", "-s", "-j2", "-C", str(frame.ROOT / "bench/threads"), f"MPICC={mpicc}", f"OUT={folder}"],
                            mpis.BY_NAME[name].environ())
            if made.status:
                return f"the programs cannot be built with {name}: {made.output.strip()[-200:]}"
            for program in programs.GRID_PROGRAMS:
                programs.compile_grid_program([mpicc], program, folder / program, mpis.BY_NAME[name].environ())
            if name == frame.HEDDLE:  # only it has allocators to choose from
                jobs.run([str(mpicc), "-O2", "-o", str(folder / "allocating"), str(frame.ROOT / "bench/papers/allocating.c")], None)
        except Exception as problem:  # pip, a compiler, a disk: the other libraries go on
            return f"{name} could not be installed or used: {problem}"
        return None

    def command(self, run, machine):
        if run.library == frame.BARE:
            return [*run.wrap, str(self.prefix / run.program), *run.arguments(machine)]
        flags = [] if run.library == frame.HEDDLE else mpis.BY_NAME[run.library].flags
        return [str(word) for word in (*run.wrap, self.bin(run.library) / "mpiexec", *flags, *run.options.split(), "-n", run.ranks,
                                       self.folder(run.library) / run.program, *run.arguments(machine))]

    def environ(self, run):
        base = dict(os.environ) if run.library == frame.BARE else mpis.BY_NAME[run.library].environ(run.crowd)
        return {**base, **dict(run.environment)}


def measure_one(run, machine, libraries):
    """What it found, and a sentence if it found nothing."""
    if not libraries.need(run.library):
        return None, libraries.missing[run.library]
    outcome = jobs.run(libraries.command(run, machine), libraries.environ(run), 30 if machine.quick else 600)
    if outcome.status is None:
        return None, "it did not end in time"
    if outcome.status:
        said = [line for line in outcome.output.splitlines() if line.strip()]
        return None, f"status {outcome.status}: {said[0][:200] if said else 'it said nothing'}"
    try:
        return run.read(outcome.output), None
    except (frame.Unreadable, ValueError) as problem:
        return None, f"{run.program} {problem}"


def measure(figure, machine, libraries, notes):
    """All rounds of a figure. Ctrl-C keeps what there is: it comes back as an exception with the series noted."""
    series = frame.Series(figure)
    notes.append(series)
    hopeless, total, begin = set(), machine.rounds * len(figure.runs), time.monotonic()
    for number in range(machine.rounds):
        for index, run in enumerate(figure.runs):
            if run in hopeless:
                continue
            watch = load.Watch()
            found, sentence = measure_one(run, machine, libraries)
            disturbed = series.watched(watch.others())
            if sentence:
                hopeless.add(run)
                series.fail(run.line, sentence)
            else:
                series.add(run.line, found, number)
            at = number * len(figure.runs) + index + 1
            print(f"[{at:3}/{total} {time.monotonic() - begin:4.0f} s] {figure.name}  {run.line:26} {run.words[:60]:60} "
                  f"{sentence or shown.brief(found)}{disturbed}", flush=True)
    return series


def draw(series, picture):
    """Draws a figure; returns a sentence of why not, or None."""
    try:
        shown.draw(series, picture)
    except ImportError as problem:
        return f"no pictures: {problem}"
    return None


def write(all_series, machine, folder, overwrite):
    """The tables and pictures of what was measured; prints the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"# The papers' experiments, {time.strftime('%Y-%m-%d %H:%M')}: {machine.cores} cores{', a quick look' if machine.quick else ''}\n"]
    notes, said = [], []
    for series in all_series:
        text = shown.section(series)
        print("\n" + text, flush=True)
        picture = folder / (series.figure.name.replace("/", "-") + ".png")
        parts.append(text)
        if series.values:
            said.append(draw(series, picture))
            parts.append(f"![{series.figure.name}]({picture.name})\n")
        notes.append(kept.noted(series, machine.quick))
        said.append(kept.keep(notes[-1], text, picture, folder.parent / "papers", overwrite))
    (folder / "papers.md").write_text("\n".join(parts))
    (folder / "values.jsonl").write_text("".join(json.dumps(one) + "\n" for one in notes))
    print(f"written: {folder}/papers.md; the newest good results: {folder.parent}/papers")
    for sentence in dict.fromkeys(filter(None, said)):
        print(sentence)


def show_commands(figures, machine, libraries):
    for figure in figures:
        print(f"# {figure.name}: {figure.title} ({figure.of})")
        for run in figure.runs:
            settings = [f"{name}={value}" for name, value in run.environment]
            print("  " + shlex.join([*settings, *libraries.command(run, machine)]))


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head`
    parser, options = read_options()
    machine = frame.this_machine(options.quick)
    figures = chosen_figures(parser, options.names, machine)
    libraries = Libraries(options.prefix, options.dry_run)
    if options.dry_run:
        show_commands(figures, machine, libraries)
        return 0
    for ending in (signal.SIGINT, signal.SIGTERM):  # also when it was started in the background
        signal.signal(ending, signal.default_int_handler)
    jobs.adopt_orphans()
    measured, status = [], 0
    try:
        for figure in figures:
            measure(figure, machine, libraries, measured)
    except KeyboardInterrupt:
        print("\nended; what was measured is kept")
        status = 130
    write(measured, machine, frame.ROOT / "results" / time.strftime("papers-%Y%m%d-%H%M%S"), options.overwrite)
    failed = sum(len(series.failed) for series in measured)
    if failed:
        print(f"{failed} lines have gaps; the figures say why")
    return status or (1 if measured and not any(series.values for series in measured) else 0)


if __name__ == "__main__":
    sys.exit(main())
