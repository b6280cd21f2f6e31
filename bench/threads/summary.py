"""The tables: which library for what, and each question's figures beside those of a chosen baseline."""
import html

import judge
from judge import Verdict
from questions import QUESTIONS

BEST, UNKNOWN = "the best", "not known"
SIGNS = {Verdict.BETTER: "▲", Verdict.WORSE: "▼", Verdict.UNCLEAR: "", Verdict.UNSTEADY: "~"}


def number(value):
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def times_text(times):
    """4.5×, or 1/13."""
    def short(value):
        return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"
    return f"{short(times)}×" if times >= 0.95 else f"1/{short(1 / times)}"


def range_text(point):
    low, high = (number(value) for value in point.range)
    return low if low == high else f"{low}–{high}"


def measured(results):
    """(question, label -> Point) of those questions that were asked."""
    for question in QUESTIONS:
        points = {label: results.find(question.bench, question.quantity, label, **question.fixed)
                  for label in results.labels}
        found = {label: point for label, point in points.items() if point}
        if found:
            yield question, found


def unit_of(points):
    """us, less is better; says mean where it is no median."""
    one = next(iter(points.values()))
    kind = "" if one.statistic.startswith("median") or not one.statistic else f", {one.statistic}"
    return f"{one.unit}{kind}, {one.better} is better"


# ---- which for what ---------------------------------------------------------------------------------

def answer(points):
    """(which, by how much) for the points of one question."""
    leaders, behind, unknown = judge.ranking(points)
    doubtful = f"not steady: {', '.join(unknown)}" if unknown else ""
    if not leaders or len(leaders) == len(points) - len(unknown) and unknown:
        return UNKNOWN, doubtful
    if len(points) == 1:
        return leaders[0], "no other was measured"
    if not behind:
        return Verdict.UNCLEAR.value, ""
    best = points[judge.best_of(points)]
    beaten = [(judge.times_better(best, points[label]), label) for label in behind]
    told = [f"{label} {times_text(times)}" if times else label
            for times, label in sorted(beaten, key=lambda pair: (pair[0] is None, pair[0]))]
    return " or ".join(leaders), "; ".join(filter(None, (", ".join(told), doubtful)))


def advice(results):
    """(use, which, by how much, question, unit, crowded) of each row of the first table."""
    for question, points in measured(results):
        if question.use:
            which, much = answer(points)
            failed = [label for label in results.labels if label not in points and results.failed(
                question.bench, question.quantity, label, **question.fixed)]
            if failed:
                much = "; ".join(filter(None, (much, f"failed: {', '.join(failed)}")))
            crowded = any(point.crowded for point in points.values())
            yield question.use, which, much, question, unit_of(points), crowded


def advice_table(results):
    rows = []
    for use, which, much, question, unit, crowded in advice(results):
        kind = ' class="open"' if which in (Verdict.UNCLEAR.value, UNKNOWN) else ""
        note = "; more threads than cores" if crowded else ""
        rows.append(f"<tr><td>{html.escape(use)}</td><td{kind}>{html.escape(which)}</td>"
                    f"<td>{html.escape(much)}</td><td><a href=\"#{question.bench}\">"
                    f"{html.escape(question.text)}</a>; {html.escape(unit)}{note}</td></tr>")
    return ("<table class=\"words\"><tr><th>for programs with</th><th>take</th><th>it is better than</th>"
            f"<th>by this figure</th></tr>{''.join(rows)}</table>")


# ---- all figures against a baseline -----------------------------------------------------------------

def base_of(points, baseline):
    return judge.best_of(points) if baseline == BEST else baseline if baseline in points else None


def cell(points, label, base):
    """(text of the figure, its range, ratio to the baseline, Verdict or None)."""
    point = points[label]
    if base is None or base == label:
        return number(point.value), range_text(point), "", None
    times = judge.times_better(point, points[base])
    return (number(point.value), range_text(point), times_text(times) if times else "",
            judge.verdict(point, points[base]))


def html_cell(results, question, points, label, base):
    if label not in points:
        failed = results.failed(question.bench, question.quantity, label, **question.fixed)
        return f"<td class=\"none\">{'failed' if failed else '–'}</td>"
    value, reach, times, verdict = cell(points, label, base)
    kind = "base" if label == base else verdict.name.lower() if verdict else "none"
    if not points[label].steady:
        kind, reach = "unsteady", ", ".join([reach, *sorted(points[label].doubts)])
    sign = f" <b>{times} {SIGNS[verdict]}</b>" if verdict else ""
    return f"<td class=\"{kind}\">{value}{sign}<small>{reach}</small></td>"


def glance_table(results, baseline):
    heads = "".join(f"<th>{html.escape(label)}</th>" for label in results.labels)
    rows = []
    for question, points in measured(results):
        base = base_of(points, baseline)
        crowded = "yes" if any(point.crowded for point in points.values()) else ""
        cells = "".join(html_cell(results, question, points, label, base) for label in results.labels)
        rows.append(f"<tr><td><a href=\"#{question.bench}\">{html.escape(question.text)}</a><small>"
                    f"{html.escape(unit_of(points))}</small></td><td>{crowded}</td>{cells}</tr>")
    return (f"<table><tr><th></th><th>more threads<br>than cores</th>{heads}</tr>{''.join(rows)}</table>")


def glance(results):
    """One table for each baseline; the reader's choice shows one of them, without any script."""
    baselines = [BEST, *results.labels]
    inputs = "".join(
        f"<input type=\"radio\" name=\"base\" id=\"base{i}\"{' checked' if i == 0 else ''}>"
        f"<label for=\"base{i}\">{html.escape(baseline)}</label> " for i, baseline in enumerate(baselines))
    tables = "".join(f"<div class=\"glance\" id=\"glance{i}\">{glance_table(results, baseline)}</div>"
                     for i, baseline in enumerate(baselines))
    shown = "".join(f"#base{i}:checked ~ #glance{i} {{ display: block }}" for i in range(len(baselines)))
    return f"<style>.glance {{ display: none }} {shown}</style><div>Compare with: {inputs}{tables}</div>"


def markdown(results):
    """The same table against the first column, to quote."""
    lines = ["| " + " | ".join(["", *results.labels]) + " |", "|---" * (1 + len(results.labels)) + "|"]
    for question, points in measured(results):
        base, shown = base_of(points, results.labels[0]), []
        for label in results.labels:
            value, reach, times, verdict = cell(points, label, base) if label in points else ("–", "", "", None)
            ratio = f" ({times}{', ' + verdict.value if verdict in (Verdict.UNCLEAR, Verdict.UNSTEADY) else ''})"
            shown.append(value + (f" [{reach}]" if reach else "") + (ratio if verdict else ""))
        lines.append("| " + " | ".join([f"{question.text}; {unit_of(points)}", *shown]) + " |")
    return "\n".join(lines) + "\n"
