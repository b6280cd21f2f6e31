"""Lines, bars and dots of libraries, the same way in every figure: a library has one colour, its variants
have other lines, marks and hatches; the legend stands outside."""
import math

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

COLOURS = {"Heddle": "#c8102e", "MPICH": "#1f6fb4", "Open MPI": "#e08a00", "Intel MPI": "#2f8f4e"}
OTHERS = ("#7d4fa0", "#6b6b6b", "#00929a", "#a0522d", "#c04f9b")
LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)))
MARKS = "osD^vP*"
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "ooo", "---")

plt.rcParams.update({"font.size": 10, "axes.grid": True, "grid.color": "#e4e4e4", "axes.axisbelow": True,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 11})


class Looks:
    """How each label is drawn."""

    def __init__(self, results):
        others, self.of = iter(OTHERS * 9), {}
        colours, variants = {}, {}
        for label in results.labels:
            name = results.names[label]
            if name not in colours:
                colours[name] = COLOURS.get(name) or next(others)
            number = variants.get(name, 0)
            variants[name] = number + 1
            number %= len(LINES)
            self.of[label] = (colours[name], LINES[number], MARKS[number], HATCHES[number])

    def line(self, label):
        colour, line, mark, _ = self.of[label]
        return {"color": colour, "linestyle": line, "marker": mark, "markersize": 4, "linewidth": 1.5}

    def bar(self, label):
        colour, _, _, hatch = self.of[label]
        return {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}


def panels(columns, rows=1, height=3.4):
    figure, axes = plt.subplots(rows, columns, figsize=(min(4.2 * columns, 13), height * rows + 0.3),
                                squeeze=False, layout="constrained")
    return figure, axes


def bytes_text(value):
    for unit, size in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value // size:g} {unit}B"
    return f"{value:g} B"


def count_text(value):
    return f"{value:,.0f}"


def log_axis(axis, values, text):
    """A logarithmic axis with ticks exactly at the values; 0 stands at half of the smallest other."""
    places = [place(value, values) for value in values]
    axis.axes.set_xscale("log", base=2)
    axis.set_ticks(places)
    axis.set_major_formatter(FuncFormatter(lambda at, _: text(values[nearest(at, places)])))
    axis.set_minor_locator(plt.NullLocator())
    if len(values) > 4:
        axis.set_tick_params(rotation=35)


def place(value, values):
    return value if value > 0 else min([v for v in values if v > 0], default=2) / 2


def nearest(at, places):
    return min(range(len(places)), key=lambda i: abs(places[i] - at))


def lines(axes, looks, rows, text=count_text):
    """`rows`: label -> [(x, Point)]. Bands are quartiles. Returns whether there is anything."""
    xs = sorted({x for row in rows.values() for x, _ in row})
    for label, row in rows.items():
        if not row:
            continue
        at = [place(x, xs) for x, _ in row]
        style = looks.line(label)
        axes.plot(at, [point.value for _, point in row], label=label, **style)
        quartiles = [point.quartiles for _, point in row]
        axes.fill_between(at, [low for low, _ in quartiles], [high for _, high in quartiles],
                          color=style["color"], alpha=0.12, linewidth=0)
    if xs:
        log_axis(axes.xaxis, xs, text)
    return bool(xs)


def bars(axes, looks, groups, log=True):
    """`groups`: name -> {label: Point}. Whiskers are quartiles. Returns whether there is anything."""
    labels = list(dict.fromkeys(label for group in groups.values() for label in group))
    width = 0.84 / max(len(labels), 1)
    for i, label in enumerate(labels):
        found = [(at, group[label]) for at, group in enumerate(groups.values()) if label in group]
        places = [at + (i - (len(labels) - 1) / 2) * width for at, _ in found]
        values = [point.value for _, point in found]
        reach = [[max(point.value - point.quartiles[0], 0) for _, point in found],
                 [max(point.quartiles[1] - point.value, 0) for _, point in found]]
        axes.bar(places, values, width, yerr=reach, label=label,
                 error_kw={"elinewidth": 0.8, "ecolor": "#444"}, **looks.bar(label))
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="x", visible=False)
    if log:
        log_bars(axes, [point.value for group in groups.values() for point in group.values()])
    return bool(labels)


def log_bars(axes, values):
    """Bars have no natural foot on a logarithmic axis: it stands well below the smallest."""
    axes.set_yscale("log")
    smallest = min((value for value in values if value > 0), default=1)
    axes.set_ylim(bottom=10 ** math.floor(math.log10(smallest / 2)))


def dots(axes, looks, series):
    """`series`: label -> values, one after the other along x."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    for label, values in series.items():
        axes.plot(range(1, len(values) + 1), values, label=label, linestyle="", marker=".", markersize=2.5,
                  color=looks.of[label][0], alpha=0.55)
    plain_ticks(axes.xaxis, axes.get_xlim())
    return any(series.values())


def short_text(value, _=None):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def plain_ticks(axis, limits):
    """Numbers in place of powers of ten, small ticks only where there is room: it also draws faster."""
    axis.set_major_formatter(FuncFormatter(short_text))
    if axis.get_scale() == "log" and limits[1] / limits[0] < 10:
        axis.set_minor_formatter(FuncFormatter(short_text))
    else:
        axis.set_minor_locator(plt.NullLocator())


def finish(figure, looks, axes):
    for one in axes.flat:
        plain_ticks(one.yaxis, one.get_ylim())
    legend(figure, looks, axes)


def legend(figure, looks, axes):
    """One legend for all panels, to the right of them."""
    drawn = {label for one in axes.flat for label in one.get_legend_handles_labels()[1]}
    found = [label for label in looks.of if label in drawn]
    barred = any(one.patches for one in axes.flat)
    handles = [Patch(**looks.bar(label), label=label) if barred
               else Line2D([], [], label=label, **looks.line(label)) for label in found]
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 0.98), frameon=False,
                  fontsize=9)
