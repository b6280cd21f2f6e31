"""Runs what is planned with all libraries in turns and notes each result in a file of JSON lines.

One turn is one program with one set of options, with each library; a round is all turns. Rounds
begin with another library each, so no library is always the one that runs after a certain other one.
"""
import dataclasses
import json
import pathlib
import platform
import re
import time

import jobs
import load
import results
from build import first_of


class Notes:
    """The file of results; a line is there as soon as it is known."""

    def __init__(self, path):
        self.file = open(path, "w")

    def add(self, **line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


@dataclasses.dataclass(frozen=True)
class Settings:
    rounds: int
    seconds: float  # that a point is measured
    deadline: float  # time.monotonic() after which nothing starts
    attempts: int = 3  # of a run that others disturb

    @property
    def patience(self):
        """Seconds for a run. No program has 30 points, and most libraries take little more than its time."""
        return 10 + 200 * self.seconds


@dataclasses.dataclass
class Tally:
    """What came of all runs."""
    good: int = 0
    failed: int = 0
    reason: str = ""  # of the first failure
    ended: bool = False  # by Ctrl-C

    @property
    def status(self):
        if not self.good:
            return 130 if self.ended else 1
        return 0


@dataclasses.dataclass(frozen=True)
class Attempt:
    outcome: jobs.Outcome
    others: float | None  # share of the cores' time that others had
    number: int

    @property
    def quiet(self):
        return self.others is None or self.others <= load.DISTURBED


def cpu_name():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


def cache_line_trip(machine):
    """ns of a cache line to another core and back; on virtual machines it jumps."""
    found = re.search(r"trip_ns (\S+)", jobs.run([str(machine), "trip"], None, 30).output)
    return float(found[1]) if found else None


def attempt_until_quiet(built, run, settings):
    """The run during which others took least, of a few; the first if that was quiet. A failure counts,
    whenever it comes."""
    command = built.library.command(run.ranks, built.folder / run.bench, *run.options.split(),
                                    "--seconds", settings.seconds)
    timeout = settings.patience
    best = None
    for number in range(1, settings.attempts + 1):
        watch = load.Watch()
        outcome = jobs.run(command, built.library.environ(run.strands), timeout)
        attempt = Attempt(outcome, watch.others(), number)
        if best is None or outcome.status != 0 or attempt.quiet or attempt.others < best.others:
            best = attempt
        if best.quiet or outcome.status != 0 or time.monotonic() > settings.deadline:
            break
    return dataclasses.replace(best, number=number)


def why_failed(outcome, timeout):
    if outcome.status is None:
        return f"gave up after {timeout:.0f} s"
    return f"status {outcome.status}" if outcome.status >= 0 else f"ended by signal {-outcome.status}"


def run_one(built, run, settings, notes, **more):
    """Notes what one library makes of a run; returns whether it came to its end, and what to show."""
    library = built.library
    attempt = attempt_until_quiet(built, run, settings)
    outcome = attempt.outcome
    lines, said = results.split(outcome.output)
    about = {"label": library.label, "name": library.name, "variant": library.variant, **more}
    for line in lines:
        notes.add(**{"strands": run.strands, **line, **about, "others": attempt.others,
                     "attempts": attempt.number})
    if outcome.status == 0 and lines:
        disturbed = "" if attempt.quiet else f"  (others: {100 * attempt.others:.0f} %)"
        return True, "  ".join(f"{line['median']:.4g} {line['unit']}" for line in lines[:4]) + disturbed
    why = "no result" if outcome.status == 0 else why_failed(outcome, settings.patience)
    notes.add(failed=why, bench=run.bench, options=run.options, ranks=run.ranks, said=said[:500], **about)
    return False, why + (f": {first_of(said)}" if said.strip() else "")


def turns(planned, built, rounds):
    """(round, run, library) in the order in which they are tried."""
    for number in range(rounds):
        first = number % len(built)
        for run in planned:
            for one in built[first:] + built[:first]:
                if one.library.takes(run):
                    yield number, run, one


def begin_notes(path, built, left_out, settings):
    notes = Notes(path)
    notes.add(machine=platform.node(), cores=len(load.cores()), cpu=cpu_name(), system=platform.platform(),
              date=time.strftime("%Y-%m-%d %H:%M"), rounds=settings.rounds, seconds=settings.seconds,
              left_out=left_out)
    for one in built:
        notes.add(**one.note())
    return notes


def measure(built, left_out, planned, settings, path):
    """Starts nothing after the deadline, and ends at Ctrl-C. Returns a Tally."""
    notes = begin_notes(path, built, left_out, settings)
    todo = list(turns(planned, built, settings.rounds))
    begin, hopeless, turn, trip, tally = time.monotonic(), set(), None, None, Tally()
    try:
        for index, (number, run, one) in enumerate(todo):
            if time.monotonic() > settings.deadline:
                print(f"the time is up: {len(todo) - index} of {len(todo)} runs were left out")
                break
            label = one.library.label
            if (label, run.key) in hopeless:
                continue
            if turn != (number, run):
                turn, trip = (number, run), cache_line_trip(built[0].folder / "machine")
            fine, shown = run_one(one, run, settings, notes, round=number, trip_ns=trip)
            tally.good += fine
            if not fine:
                hopeless.add((label, run.key))
                tally.failed += 1
                tally.reason = tally.reason or f"{label}, {run.key}: {shown}"
            print(f"[{index + 1:3}/{len(todo)} {time.monotonic() - begin:5.0f} s] {label:16} {run.key:58} "
                  f"{shown}", flush=True)
    except KeyboardInterrupt:
        tally.ended = True
        print("\nended; what was measured is kept" if tally.good else "\nended; nothing was measured yet")
    return tally
