"""What a run noted: reads its JSON lines and answers with medians over the rounds."""
import dataclasses
import json
import pathlib
import statistics

NEEDED = ("bench", "quantity", "library", "version", "parameters", "unit", "better", "median", "p25",
          "p75", "samples")


@dataclasses.dataclass
class Point:
    """One figure of one library: the medians of its rounds."""
    unit: str
    better: str
    medians: list
    low: list
    high: list
    series: list  # of the last round, where there is one

    @property
    def value(self):
        return statistics.median(self.medians)

    @property
    def quartiles(self):
        return statistics.median(self.low), statistics.median(self.high)


def parse(text):
    """The lines of a program or of run.py; a line of a program must have all that it should."""
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = json.loads(line)
        missing = [name for name in NEEDED if name not in entry]
        if missing and "machine" not in entry and "failed" not in entry:
            raise ValueError(f"line {number} lacks {', '.join(missing)}")
        lines.append(entry)
    return lines


class Results:
    """All results of some files. A `label` is a library with its variant: a column."""

    def __init__(self, paths):
        lines = [line for path in paths for line in parse(pathlib.Path(path).read_text())]
        self.machines = [line for line in lines if "machine" in line]
        self.failures = [line for line in lines if "failed" in line]
        self.names = {}     # label -> name of the library
        self.versions = {}  # name of the library -> version
        self.points = {}    # (bench, quantity, parameters, label) -> Point
        self.trips = [line["trip_ns"] for line in lines if line.get("trip_ns")]
        self.loads = [line["load"] for line in lines if "load" in line]
        for line in lines:
            if "failed" in line:
                self.names.setdefault(line["label"], line["name"])
            elif "quantity" in line:
                self._add(line)

    def _add(self, line):
        label = line.get("label", line["library"])
        name = line.get("name", line["library"])
        self.names.setdefault(label, name)
        self.versions[name] = line["version"]
        key = (line["bench"], line["quantity"], frozenset(line["parameters"].items()), label)
        point = self.points.setdefault(key, Point(line["unit"], line["better"], [], [], [], []))
        point.medians.append(line["median"])
        point.low.append(line["p25"])
        point.high.append(line["p75"])
        point.series = line.get("series", [])

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

    def values_of(self, bench, parameter):
        """The values that a parameter has in a bench."""
        found = {dict(key[2])[parameter] for key in self.points
                 if key[0] == bench and parameter in dict(key[2])}
        return sorted(found)
