"""A figure as a table and as a picture: what was measured, relative to a line, and what the paper has."""
import dataclasses

import frame
import load
import results

DIGITS = 3


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.{DIGITS}g}"


def brief(found):
    """What a run has found, for a line of progress."""
    values = [v for value in found.values() for v in (value.values() if isinstance(value, dict) else [value])]
    return "  ".join(number(value) for value in values[:6])


def cell(values):
    if not values:
        return "-"
    text = number(frame.middle(values))
    return text if len(values) == 1 else f"{text} [{number(min(values))}, {number(max(values))}]"


def rows_of(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def paper_heads(figure, relative):
    """The paper's columns stand beside ours where the two are of one kind."""
    return list(figure.paper) if (figure.paper_is == "relative") == relative else []


def table(series, relative=False):
    figure = series.figure
    lines = [line for line in figure.lines if line in series.values or line in series.failed]
    if relative:
        lines = [line for line in lines if line != figure.relative_to]
    values = series.ratios if relative else series.all
    theirs = paper_heads(figure, relative)
    places = sorted({*series.places, *(place for line in theirs for place in figure.paper[line])})
    unit = f"paper, {figure.paper_is}" if not relative and figure.paper_is else "paper"
    heads = [figure.x, *lines, *(f"{unit}: {line}" for line in theirs)]
    rows = [[figure.text(place), *(cell(values(line, place)) for line in lines),
             *(number(figure.paper[line][place]) if place in figure.paper[line] else "" for line in theirs)]
            for place in places]
    return rows_of(heads, rows)


def section(series):
    """The figure in Markdown."""
    figure = series.figure
    parts = [f"## {figure.name}: {figure.title}\n", f"Paper, {figure.of}: {figure.says}\n"]
    if series.values:
        parts += [f"{figure.unit[0].upper()}{figure.unit[1:]}, {figure.better} is better; median [smallest, largest] of the rounds.\n",
                  table(series)]
    if figure.relative_to and series.values.get(figure.relative_to):
        parts += [f"Relative to {figure.relative_to}, each round by itself:\n", table(series, relative=True)]
    remarks = [*figure.remarks, *gaps(series), *disturbance(series)]
    return "\n".join(parts + ["\n".join(f"- {remark}" for remark in remarks) + "\n"] * bool(remarks))


def disturbance(series):
    """A warning, where other programs took cores during runs."""
    if not series.disturbed:
        return []
    return [f"**The machine was loaded:** other programs took more than {100 * load.DISTURBED:.0f} % of the cores during {series.disturbed} "
            f"of {series.runs} runs. Measure again on a quiet machine."]


def gaps(series):
    """A sentence for each reason why lines have gaps."""
    lines = {}
    for line, reason in series.failed.items():
        lines.setdefault(reason, []).append(line)
    return [f"{'; '.join(names)}: {reason}" for reason, names in lines.items()]


# ---- pictures ---------------------------------------------------------------------------------------

@dataclasses.dataclass
class Labels:
    """What draw.Looks wants of results: labels, and of which name each is."""
    labels: list
    names: dict


def point(figure, values, unit):
    return results.Point(unit, figure.better, [(value, value, value) for value in values])


def panel_rows(series, relative):
    figure, values = series.figure, series.ratios if relative else series.all
    rows = {}
    for line, row in series.values.items():
        found = {place: point(figure, values(line, place), figure.unit) for place in row if values(line, place)}
        if found and not (relative and line == figure.relative_to):
            rows[line] = found
    for line in paper_heads(figure, relative) if relative or figure.paper_is == figure.unit else []:
        rows[f"paper: {line}"] = {place: point(figure, [value], figure.unit) for place, value in figure.paper[line].items()}
    return rows


def draw(series, path):
    """Writes the picture; without matplotlib it raises ImportError."""
    import draw as drawing
    import looks
    figure = series.figure
    relative = bool(figure.relative_to and series.values.get(figure.relative_to))
    labels = [*series.values, *(f"paper: {line}" for line in figure.paper)]
    # Lines of one library or kind have one colour and several strokes, the paper's figure of it, too; a line whose name has no
    # comma is its own kind.
    kinds = {label: label.removeprefix("paper: ").split(",")[0] for label in labels}
    canvas = drawing.Canvas(looks.Looks(Labels(labels, kinds)), 1 + relative, height=3.4)
    for index in range(1 + relative):
        axes = canvas.panel(index)
        rows = panel_rows(series, relative=index == 1)
        canvas.lines(axes, rows, {}, figure.text)
        axes.set_xlabel(figure.x)
        axes.set_title(f"relative to {figure.relative_to}" if index else f"{figure.name}: {figure.unit}, {figure.better} is better")
        if index:
            axes.axhline(1, color="#888", linewidth=0.9)
        else:
            fit_scale(drawing, axes, rows)
    canvas.finish().savefig(path, dpi=110)
    drawing.plt.close("all")


def fit_scale(drawing, axes, rows):
    """From zero on, or in powers of ten where values differ by more than a page shows."""
    values = [one.value for row in rows.values() for one in row.values()]
    if values and min(values) > 0 and max(values) > 20 * min(values):
        drawing.log_scale(axes, values)
    else:
        axes.set_ylim(bottom=min([0, *values]))
