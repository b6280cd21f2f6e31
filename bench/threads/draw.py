"""Lines, dots and clouds, the same way in every figure.

All figures have the same width, so a page that shows them at one width shows all texts at one size.
Values along x stand evenly spaced in their order. Whiskers are the range over rounds. A run that failed
is a cross at the edge of its panel where bad values lie.
"""
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: E402

WIDTH, ROW = 11, 2.9  # inches
LEGEND_MARK, LEGEND_LETTER = 0.55, 0.075  # inches, of a mark and its gaps, and of a letter at most
LEGEND_LINE = 0.24
SPREAD = 0.7  # of the room of a group that its dots take

plt.rcParams.update({"font.size": 9.5, "axes.grid": True, "grid.color": "#e4e4e4", "axes.axisbelow": True,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10,
                     "svg.hashsalt": "heddle"})


class Canvas:
    """A figure with its panels; `finish` adds the legend above them."""

    def __init__(self, looks, columns, rows=1, height=ROW):
        self.looks = looks
        self.height = height * rows
        self.figure, self.axes = plt.subplots(rows, columns, figsize=(WIDTH, self.height), squeeze=False)
        self.drawn, self.crosses = set(), False

    def panel(self, index):
        return self.axes.flat[index]

    def finish(self):
        for one in self.axes.flat:
            if one.get_visible():
                plain_ticks(one.yaxis, one.get_ylim())
        handles = [Line2D([], [], label=label, **self.looks.line(label))
                   for label in self.looks.of if label in self.drawn]
        if self.crosses:
            handles.append(Line2D([], [], label="failed", color="#444", marker="x", linestyle=""))
        widest = LEGEND_MARK + LEGEND_LETTER * max((len(handle.get_label()) for handle in handles), default=0)
        columns = max(1, min(len(handles), 5, int(WIDTH / widest)))
        head = 0.1 + LEGEND_LINE * -(-len(handles) // columns)
        whole = self.height + head
        self.figure.set_size_inches(WIDTH, whole)
        self.figure.legend(handles=handles, loc="upper left", ncol=columns, frameon=False, borderaxespad=0.2)
        self.figure.set_layout_engine("constrained", rect=(0, 0, 1, self.height / whole), h_pad=0.1)
        return self.figure

    # ---- what a panel shows --------------------------------------------------------------------------

    def lines(self, axes, rows, failed, text):
        """`rows`: label -> {x: Point}; `failed`: label -> the xs at which it failed."""
        xs = sorted({x for found in (*rows.values(), *failed.values()) for x in found})
        places = {x: at for at, x in enumerate(xs)}
        shift = shifts([*rows], 0.12)
        for label, row in rows.items():
            points = [(places[x] + shift[label], point) for x, point in sorted(row.items())]
            self.whiskers(axes, label, points, self.looks.line(label))
        for label, at in failed.items():
            self.cross(axes, label, [places[x] + shift.get(label, 0) for x in at], better_of(rows))
        axes.set_xticks(range(len(xs)), [text(x) for x in xs])
        axes.set_xlim(-0.4, max(len(xs) - 0.6, 0.4))
        if len(xs) > 5:
            axes.tick_params(axis="x", rotation=30)

    def dots(self, axes, groups, failed, log=True):
        """`groups`: name -> {label: Point}; `failed`: name -> labels."""
        if not groups:
            axes.set_visible(False)
            return
        labels = [label for label in self.looks.of
                  if any(label in found for found in (*groups.values(), *failed.values()))]
        shift = shifts(labels, SPREAD)
        for label in labels:
            points = [(at + shift[label], group[label])
                      for at, group in enumerate(groups.values()) if label in group]
            self.whiskers(axes, label, points, self.looks.mark(label))
            places = [at + shift[label] for at, name in enumerate(groups) if label in failed.get(name, ())]
            self.cross(axes, label, places, better_of(groups))
        axes.set_xticks(range(len(groups)), groups)
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.grid(axis="x", visible=False)
        for edge in range(1, len(groups)):
            axes.axvline(edge - 0.5, color="#ccc", linewidth=0.8)
        if log:
            log_scale(axes, [point.value for group in groups.values() for point in group.values()])

    def whiskers(self, axes, label, points, style):
        if not points:
            return
        self.drawn.add(label)
        values = [point.value for _, point in points]
        reach = [[max(point.value - point.range[0], 0) for _, point in points],
                 [max(point.range[1] - point.value, 0) for _, point in points]]
        axes.errorbar([at for at, _ in points], values, yerr=reach, elinewidth=1, capsize=2, **style)

    def cross(self, axes, label, places, better):
        """Failed: at the top where less is better, else at the bottom."""
        if not places:
            return
        self.drawn.add(label)
        self.crosses = True
        axes.plot(places, [0.97 if better == "less" else 0.03] * len(places), linestyle="", marker="x",
                  markersize=7, markeredgewidth=1.8, color=self.looks.colour(label), clip_on=False,
                  transform=axes.get_xaxis_transform())

    def cloud(self, axes, series):
        """`series`: label -> values, one after the other along x. Pixels: thousands of marks."""
        axes.set_xscale("log")
        axes.set_yscale("log")
        for label, values in series.items():
            self.drawn.add(label)
            axes.plot(range(1, len(values) + 1), values, linestyle="", marker=".", markersize=2.5,
                      color=self.looks.colour(label), alpha=0.55, rasterized=True)
        axes.set_xlim(left=0.8)
        plain_ticks(axes.xaxis, axes.get_xlim())


def shifts(labels, room):
    """Beside each other, so that no whisker hides another one."""
    step = room / max(len(labels), 1)
    return {label: (i - (len(labels) - 1) / 2) * step for i, label in enumerate(labels)}


def better_of(groups):
    """Of the first point there is."""
    return next((point.better for group in groups.values() for point in group.values()), "less")


def log_scale(axes, values):
    """Small ranges keep room around them: a few percent should not fill the panel."""
    positive = [value for value in values if value > 0]
    if not positive:
        return
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    middle = math.sqrt(min(positive) * max(positive))
    axes.set_ylim(min(low, middle / 2), max(high, middle * 2))


def same_limits(panels):
    """Panels that are compared have the same scale."""
    shown = [one for one in panels if one.get_visible()]
    if not shown:
        return
    limits = [one.get_ylim() for one in shown]
    for one in shown:
        one.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


# ---- numbers ----------------------------------------------------------------------------------------

def bytes_text(value):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value // size:g} {unit}"
    return f"{value:g} B"


def count_text(value):
    return f"{value:,.0f}"


def short_text(value, _=None):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def plain_ticks(axis, limits):
    """Numbers in place of powers of ten; small ticks only where there is room."""
    axis.set_major_formatter(FuncFormatter(short_text))
    if axis.get_scale() == "log" and limits[1] / limits[0] < 50:
        axis.set_minor_locator(LogLocator(subs=(2, 5)))
        axis.set_minor_formatter(FuncFormatter(short_text))
    else:
        axis.set_minor_locator(plt.NullLocator())
