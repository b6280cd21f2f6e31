"""Figures as data: which points of the results stand in which panel."""
import dataclasses
import typing

import draw


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str  # of the program
    title: str
    about: str
    draw: typing.Callable  # (results, looks) -> matplotlib's figure, or None


ALL = []


def figure(name, title, about):
    """Registers a function (results, looks) -> draw.Canvas or None."""
    def add(function):
        def whole(results, looks):
            canvas = function(results, looks)
            return canvas and canvas.finish()
        ALL.append(Figure(name, title, about, whole))
        return function
    return add


def along(results, bench, quantity, x, **fixed):
    """label -> {x: Point}, and label -> the xs at which it failed while others did not."""
    rows = {label: dict(results.along(bench, quantity, label, x, **fixed)) for label in results.labels}
    xs = sorted({at for row in rows.values() for at in row})
    failed = {label: [at for at in xs if at not in row and results.failed(bench, quantity, label, **{**fixed, x: at})]
              for label, row in rows.items()}
    return ({label: row for label, row in rows.items() if row},
            {label: at for label, at in failed.items() if at})


def group(results, bench, quantity, **fixed):
    """label -> Point, and the labels that failed."""
    found = {label: results.find(bench, quantity, label, **fixed) for label in results.labels}
    failed = [label for label, point in found.items()
              if point is None and results.failed(bench, quantity, label, **fixed)]
    return {label: point for label, point in found.items() if point}, failed


def crowded(points):
    return any(point.crowded for point in points)


def dot_panel(canvas, axes, results, cases, ylabel, log=True):
    """`cases`: (name, bench, quantity, fixed parameters). Returns whether there is anything."""
    groups, failed = {}, {}
    for name, bench, quantity, fixed in cases:
        found, lost = group(results, bench, quantity, **fixed)
        if found or lost:
            groups[name], failed[name] = found, lost
    canvas.dots(axes, groups, failed, log)
    axes.set_ylabel(ylabel)
    return any(groups.values())


def line_panels(results, looks, bench, quantity, x, cases, ylabel, xlabel, text, log=True, columns=3):
    """One panel for each (title, fixed parameters) of which there is something."""
    rows = [(title, row, failed) for title, fixed in cases
            for row, failed in [along(results, bench, quantity, x, **fixed)] if row]
    if not rows:
        return None
    columns = min(len(rows), columns)
    canvas = draw.Canvas(looks, columns, -(-len(rows) // columns))
    for one in list(canvas.axes.flat)[len(rows):]:
        one.set_visible(False)
    for one, (title, row, failed) in zip(canvas.axes.flat, rows):
        canvas.lines(one, row, failed, text)
        many = crowded(point for found in row.values() for point in found.values())
        one.set_title(title + ("\nmore threads than cores" if many else ""))
        one.set_xlabel(xlabel)
        if log:
            one.set_yscale("log")
        else:
            one.set_ylim(bottom=0)
    for line in canvas.axes:
        line[0].set_ylabel(ylabel)
    draw.same_limits(canvas.axes.flat)
    return canvas


def modes(results, bench, **usual):
    """Panels by mode, then by number of pairs, so that like stands beside like; `usual`: the parameters
    that are the same in all of them."""
    counts = results.values_of(bench, "pairs")
    shared = {"comms": "shared"} if results.values_of(bench, "comms") else {}
    for name, fixed in (("ranks", {"mode": "processes"}), ("threads", {"mode": "threads", **shared})):
        for count in counts:
            yield f"{count} pair{'s' * (count > 1)} of {name}", {**fixed, "pairs": count, **usual}
    for count in counts:
        yield (f"{count} pairs of threads, a communicator each",
               {"mode": "threads", "pairs": count, "comms": "own", **usual})
