"""What an experiment of a paper is: runs, each of which makes points of a line, and the figure that they make together.

A Run says what is started; a Series keeps what came of it, by line and place. Nothing here knows a paper.
"""
import dataclasses
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "bench/threads"))
import load  # noqa: E402
import results  # noqa: E402

HEDDLE, MPICH = "heddle", "mpich"
BARE = "bare"  # a program that needs no mpiexec; its path begins at the folder of the build


class Unreadable(Exception):
    """What a program printed has no result; one sentence."""


@dataclasses.dataclass(frozen=True)
class Machine:
    """What the papers' parameters are scaled by, and how long a look takes."""
    cores: int
    quick: bool

    @property
    def rounds(self):
        return 1 if self.quick else 3

    @property
    def seconds(self):
        """That each point is measured."""
        return 0.05 if self.quick else 0.3

    def counts(self, most):
        """Of threads: those of the paper, 1 to `most`, and as many as there are cores."""
        some = (1, 2, most) if self.quick else range(1, most + 1)
        return sorted({*some, self.cores} if not self.quick else {*some})

    def remarks(self, strands):
        """What a reader of a figure must know of this machine. `strands`: the most that run at the same time."""
        if self.cores == 1:
            return ["one core: threads take turns, so the figure shows what taking turns costs and no scaling"]
        if strands > self.cores:
            return [f"{self.cores} cores, and up to {strands} threads or ranks at the same time: beyond {self.cores} they take turns"]
        return []


def this_machine(quick):
    return Machine(len(load.cores()), quick)


@dataclasses.dataclass(frozen=True)
class Run:
    line: str
    program: str
    read: object  # what it printed -> {place: value}, or {line: {place: value}} for several; see of_suite() and its kin
    ranks: int = 1
    words: str = ""
    options: str = ""  # of Heddle's mpiexec
    environment: tuple = ()  # (name, value) ...
    strands: int = 0  # that run at the same time; 0: as many as ranks
    library: str = HEDDLE
    timed: bool = True  # takes --seconds
    wrap: tuple = ()  # words before the program
    makes: tuple = ()  # the lines, where it makes several

    def arguments(self, machine):
        return [*self.words.split(), *(["--seconds", str(machine.seconds), "--output", "json"] if self.timed else [])]

    @property
    def crowd(self):
        return self.strands or self.ranks


@dataclasses.dataclass
class Figure:
    """One experiment. `paper`: what the paper's text or tables say, line -> {place: value}, in `paper_unit`."""
    name: str  # paper/experiment; also its name on the command line
    title: str
    of: str  # which figure or table of the paper
    says: str  # what the paper found, one sentence
    x: str  # what the places are
    unit: str
    runs: list
    better: str = "more"
    relative_to: str = ""  # a line; the figure then has a second panel
    paper: dict = dataclasses.field(default_factory=dict)
    paper_is: str = ""  # the unit of `paper`: "relative", or one in words
    text: object = str  # of a place
    remarks: list = dataclasses.field(default_factory=list)
    counted: bool = False  # not timed: the same on a loaded machine

    @property
    def lines(self):
        return list(dict.fromkeys(line for run in self.runs for line in (run.makes or [run.line])))


class Series:
    """What was measured for a figure: line -> place -> values, a value a round; and what failed."""

    def __init__(self, figure):
        self.figure = figure
        self.values = {}
        self.failed = {}  # line -> the first sentence
        self.runs = self.disturbed = 0

    def watched(self, others):
        """Counts a run by the share of the cores that other programs took during it; returns what to show of that."""
        self.runs += 1
        if self.figure.counted or others is None or others <= load.DISTURBED:
            return ""
        self.disturbed += 1
        return f"  (others: {100 * others:.0f} %)"

    @property
    def noisy(self):
        """True if a run in twenty or more was disturbed."""
        return 20 * self.disturbed >= self.runs > 0

    def add(self, line, found, number):
        """What a run of round `number` has found."""
        for place, value in found.items():
            if isinstance(value, dict):
                self.add(place, value, number)
                continue
            self.values.setdefault(line, {}).setdefault(place, {})[number] = value

    def fail(self, line, sentence):
        self.failed.setdefault(line, sentence)

    @property
    def places(self):
        return sorted({place for row in self.values.values() for place in row})

    def all(self, line, place):
        return [*self.values.get(line, {}).get(place, {}).values()]

    def ratios(self, line, place):
        """To the line that the figure is relative to, each of its own round."""
        mine = self.values.get(line, {}).get(place, {})
        base = self.values.get(self.figure.relative_to, {}).get(place, {})
        return [mine[number] / base[number] for number in mine if base.get(number)]


def middle(values):
    return statistics.median(values) if values else None


# ---- how what a program printed is read -------------------------------------------------------------

def of_suite(quantity, place="size", scale=1):
    """A program of bench/threads. `place`: one of its parameters, or a number."""
    def read(output):
        lines, _ = results.split(output)
        found = {line["parameters"].get(place) if isinstance(place, str) else place: line["median"] * scale
                 for line in lines if line["quantity"] == quantity}
        if not found or None in found:
            raise Unreadable(f"printed no '{quantity}'")
        return found
    return read


def of_word(word, place, scale=1):
    """A program that prints a line 'WORD NUMBER'."""
    def read(output):
        for line in output.splitlines():
            words = line.split()
            if len(words) == 2 and words[0] == word:
                return {place: float(words[1]) * scale}
        raise Unreadable(f"printed no line '{word} NUMBER'")
    return read
