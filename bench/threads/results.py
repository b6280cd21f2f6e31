"""What a run noted: reads its JSON lines and answers with one Point for each figure of each library."""
import dataclasses
import json
import math
import pathlib
import statistics

NEEDED = ("bench", "quantity", "library", "version", "parameters", "unit", "better", "median", "p25",
          "p75", "samples")
UNSTEADY = 2  # times that rounds may differ before their figure says nothing
# Of programs' options, where a failed run's command line is silent.
DEFAULTS = {"comms": "shared", "direction": "one", "buffers": "cached"}


@dataclasses.dataclass
class Point:
    """One figure of one library over its rounds."""
    unit: str
    better: str  # "less" or "more"
    rounds: list = dataclasses.field(default_factory=list)  # (median, p25, p75) of each
    series: list = dataclasses.field(default_factory=list)  # of the last round, where there is one
    statistic: str = ""  # what the programs call the value; empty: a median
    crowded: bool = False  # more threads than cores
    flags: set = dataclasses.field(default_factory=set)  # what a program remarks on its own samples

    @property
    def medians(self):
        return [median for median, _, _ in self.rounds]

    @property
    def value(self):
        return statistics.median(self.medians)

    @property
    def range(self):
        """Over the rounds; of a single round the quartiles of its samples, which is less."""
        if len(self.rounds) > 1:
            return min(self.medians), max(self.medians)
        return self.rounds[0][1:]

    @property
    def doubts(self):
        """Why the samples say nothing. Time slices are how it is with more threads than cores; and few
        samples are no matter where several rounds stand beside each other."""
        usual = ({"slices", "two modes"} if self.crowded else set()) | ({"few samples"} if len(self.rounds) > 1
                                                                        else set())
        return self.flags - usual

    @property
    def steady(self):
        """Rounds agree within a factor (figures that may be 0 or below have none), without doubts."""
        low, high = min(self.medians), max(self.medians)
        return not self.doubts and (low <= 0 or high <= UNSTEADY * low)

    def scaled(self, factor):
        return dataclasses.replace(self, rounds=[tuple(factor * value for value in one) for one in self.rounds])


# ---- reading ----------------------------------------------------------------------------------------

def complaint(line):
    """What is wrong with a line of a program, or None."""
    missing = [name for name in NEEDED if name not in line]
    if missing:
        return f"lacks {', '.join(missing)}"
    if not isinstance(line["parameters"], dict):
        return "has parameters that are none"
    for name in ("median", "p25", "p75"):
        if not isinstance(line[name], (int, float)) or not math.isfinite(line[name]):
            return f"has no number as {name}"
    return None


def split(output):
    """The results that a program printed, and whatever else it said."""
    lines, rest = [], []
    for text in output.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if isinstance(line, dict) and not complaint(line):
            lines.append(line)
        else:
            rest.append(text)
    return lines, "\n".join(rest)


def parse(text):
    """The lines of a program or of run.py; ValueError says which one is wrong, and how."""
    lines = []
    for number, entry in enumerate(text.splitlines(), 1):
        try:
            line = json.loads(entry)
        except ValueError:
            raise ValueError(f"line {number} is no JSON") from None
        if not isinstance(line, dict):
            raise ValueError(f"line {number} is no result")
        wrong = complaint(line)
        if wrong and not {"machine", "failed", "setup"} & line.keys():
            raise ValueError(f"line {number} {wrong}")
        lines.append(line)
    return lines


def read(path):
    """The lines of a file. One that was cut off, as when a disk is full, loses its last line."""
    text = pathlib.Path(path).read_text(errors="replace")
    whole, end, rest = text.rpartition("\n")
    try:
        lines = parse(whole + end)
        if rest:
            lines += ending(path, rest)
    except ValueError as problem:
        raise ValueError(f"{path}: {problem}") from None
    if not any("quantity" in line or "failed" in line for line in lines):
        raise ValueError(f"{path} has no results")
    return lines


def ending(path, rest):
    """What stands after the last end of a line."""
    try:
        return parse(rest)
    except ValueError:
        print(f"{path}: its end is cut off; the last line is left out")
        return []


def words_of(failure):
    """Its parameters: the options --mode threads --pairs 4, and what follows from them."""
    options = failure["options"].split()
    words = {**DEFAULTS, **{name.lstrip("-"): value for name, value in zip(options[::2], options[1::2])}}
    if failure.get("ranks"):
        parts = int(words.get("pairs", 1)) if words.get("mode") == "processes" else 1
        words["members"] = str(failure["ranks"] // parts)
    return words


# ---- answering --------------------------------------------------------------------------------------

class Results:
    """All results of some files. A `label` is a library with its variant: a column."""

    def __init__(self, paths):
        lines = [line for path in paths for line in read(path)]
        self.machines = [line for line in lines if "machine" in line]
        self.failures = [line for line in lines if "failed" in line]
        self.setups = {line["setup"]: line for line in lines if "setup" in line}
        self.names = {}     # label -> name of the library
        self.versions = {}  # label -> what the library is called, with its version
        self.points = {}    # (bench, quantity, parameters, label) -> Point
        self.trips = [line["trip_ns"] for line in lines if line.get("trip_ns")]
        self.others = [line["others"] for line in lines if line.get("others") is not None]
        for line in lines:
            if "failed" in line or "setup" in line:
                self.names.setdefault(line.get("setup", line.get("label")), line["name"])
            elif "quantity" in line:
                self._add(line)

    def _add(self, line):
        label = line.get("label", line["library"])
        self.names.setdefault(label, line.get("name", line["library"]))
        version = f"{line['library']} {line['version']}"
        if self.versions.setdefault(label, version) != version:
            raise ValueError(f"'{label}' is {self.versions[label]} in some results and {version} in others: "
                             "they cannot be one column")
        key = (line["bench"], line["quantity"], frozenset(line["parameters"].items()), label)
        point = self.points.setdefault(key, Point(line["unit"], line["better"]))
        point.rounds.append((line["median"], line["p25"], line["p75"]))
        point.series = line.get("series", [])
        point.flags |= set(line.get("flags", ()))
        point.statistic = line.get("statistic", "")
        cores = line.get("cores") or (self.machines[-1]["cores"] if self.machines else 0)
        point.crowded = bool(cores) and line.get("strands", 0) > cores

    @property
    def rounds(self):
        """The most that any point has."""
        return max((len(point.rounds) for point in self.points.values()), default=0)

    @property
    def labels(self):
        """The columns: libraries as they came, each followed by its variants."""
        order = list(dict.fromkeys(self.names.values()))
        return sorted(self.names, key=lambda label: order.index(self.names[label]))

    def _of(self, bench, quantity, label, fixed):
        for (b, q, parameters, of), point in self.points.items():
            if (b, q, of) == (bench, quantity, label) and fixed.items() <= dict(parameters).items():
                yield dict(parameters), point

    def find(self, bench, quantity, label, **fixed):
        """The point with these parameters (and any others), or None."""
        return next((point for _, point in self._of(bench, quantity, label, fixed)), None)

    def along(self, bench, quantity, label, x, **fixed):
        """(value of parameter x, point) in order."""
        return sorted(((parameters[x], point)
                       for parameters, point in self._of(bench, quantity, label, fixed)),
                      key=lambda pair: pair[0])

    def failed(self, bench, quantity, label, **fixed):
        """Whether a run of this label failed that should have had points with these parameters."""
        def concerns(failure):
            words = words_of(failure)
            # Of collectives the quantity is the operation.
            return words.get("operation", quantity) == quantity and all(words.get(name, str(value)) == str(value) for name, value in fixed.items())
        return any(failure["bench"] == bench and failure["label"] == label and concerns(failure)
                   for failure in self.failures)

    def values_of(self, bench, parameter):
        """The values that a parameter has in a bench."""
        found = {dict(key[2])[parameter] for key in self.points
                 if key[0] == bench and parameter in dict(key[2])}
        return sorted(found)
