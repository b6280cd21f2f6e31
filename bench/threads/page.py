"""The page: its order, its words, and how it looks."""
import html

import judge
import load
import results as reading
import summary

MANY = 0.1  # of the figures: disturbed, they call for a warning
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222 }
h1 { font-size: 1.6em } h2 { margin-top: 2em; font-size: 1.2em } img { width: 100% }
p.about, .about li { color: #444 } a { color: #0058a0 } nav li { line-height: 1.35 }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto; margin: 0.6em 0 }
td, th { border: 1px solid #ddd; padding: 3px 8px; text-align: right; vertical-align: top }
td { white-space: nowrap } td:first-child, th:first-child, .words td, .words th { text-align: left }
.words td { white-space: normal } td:first-child { min-width: 15em; white-space: normal }
.warning { background: #ffe9a8; padding: 0.5em 0.8em } .open { color: #777; font-style: italic } small { color: #666; display: block; white-space: normal }
.better { background: #cfe3f5 } .worse { background: #fbdfc0 } .unsteady { background: #ddd; color: #666 }
.base { outline: 2px solid #222; outline-offset: -2px } input { margin-left: 0.8em }
code { font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere }
"""


def machine_text(results):
    parts = [f"{m['date']}: {m['cores']} cores, {m['cpu']}, {m['system']}; {m['rounds']} "
             f"round{'s' * (m['rounds'] > 1)}, {m['seconds']:g} s a point." for m in results.machines]
    if results.others:
        disturbed = sum(share > load.DISTURBED for share in results.others)
        parts.append(
            f"Other programs and the hypervisor had up to {100 * max(results.others):.0f} % of the cores' time during "
            f"a run; runs with more than {100 * load.DISTURBED:.0f} % were done again, and "
            f"{100 * disturbed / len(results.others):.0f} % of the figures still come from such runs.")
    if results.trips:
        trips = sorted(results.trips)
        parts.append(f"A cache line takes {trips[0]:.0f} to {trips[-1]:.0f} ns to another core and back "
                     f"(median {trips[len(trips) // 2]:.0f}), measured before each turn: where it jumps, "
                     "so do all figures of two cores.")
    return " ".join(parts)


def warning(results):
    """Figures of a busy machine are no ground for a choice."""
    disturbed = sum(share > load.DISTURBED for share in results.others)
    if disturbed <= MANY * len(results.others):
        return ""
    return (f"<p class=\"warning\">Other programs disturbed {100 * disturbed / len(results.others):.0f} % of these "
            "figures. Choose nothing by them: measure again on a quiet machine.</p>")


def reading_text(results):
    """How the figures are to be read."""
    if results.rounds > 1:
        ranges = ("A figure is the median over the rounds. The small figures below it, and the whiskers in pictures, "
                  "are the smallest and the largest round.")
        clear = f"the ranges do not overlap and the figures differ by more than {judge.LEAST} times"
    else:
        ranges = ("There was one round: the small figures, and the whiskers in pictures, are the quartiles of its "
                  "samples. What another round would give is not known.")
        clear = (f"these do not overlap and the figures differ by more than {judge.LEAST_OF_ONE_ROUND} times; "
                 "measure several rounds for more")
    return (f"<ul class=\"about\"><li>{ranges}</li><li>A figure is called better ▲ or worse ▼ only if {clear}. "
            f"It stands on grey ~ where rounds differ by more than {reading.UNSTEADY} times, or where the program "
            "doubts its own samples and says why (slices: of the kernel's scheduler; two modes; few samples): "
            "such a figure says nothing.</li>"
            "<li><i>Ranks</i> are MPI processes, whatever they are made of (see The libraries); <i>threads</i> are "
            "pthreads of a rank. <i>More threads than cores</i>: the threads of all ranks together.</li></ul>")


def library_row(results, label):
    setup = results.setups.get(label, {})
    rank = {"thread": "a thread; the ranks of a node share one process", "process": "a process"}.get(
        setup.get("rank_is"), "")
    variables = [*setup.get("environment", {}).items()]
    crowded = [*setup.get("crowded", {}).items()]
    environment = " ".join(f"{name}={value}" for name, value in variables)
    if crowded:
        environment += (" and with more threads than cores: "
                        + " ".join(f"{name}={value}" for name, value in crowded))
    cells = (label, results.versions.get(label, ""), rank, environment.strip(), setup.get("command", ""))
    return "".join(f"<td>{'<code>' * (i > 2)}{html.escape(text)}{'</code>' * (i > 2)}</td>"
                   for i, text in enumerate(cells))


def libraries_table(results):
    rows = "".join(f"<tr>{library_row(results, label)}</tr>" for label in results.labels)
    said = dict.fromkeys(setup["says"].strip() for setup in results.setups.values() if setup.get("says"))
    texts = "".join(f"<li><code>{html.escape(text[:300])}</code></li>" for text in said)
    return ("<table class=\"words\"><tr><th>column</th><th>version</th><th>a rank is</th><th>environment</th>"
            f"<th>command</th></tr>{rows}</table><p>MPI_Get_library_version says:</p><ul>{texts}</ul>")


def failures(results):
    """Rows of what failed, and of what could not be measured at all."""
    for machine in results.machines:
        for label, why in (machine.get("left_out") or {}).items():
            yield label, "all programs", why, ""
    for failure in results.failures:
        yield failure["label"], f"-n {failure.get('ranks', '?')} {failure['bench']} {failure['options']}", failure["failed"], failure.get("said", "")


def failures_table(results):
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row[:3])
                   + f"<td><code>{html.escape(row[3])}</code></td></tr>" for row in failures(results))
    return f"<table class=\"words\"><tr><th>library</th><th>run</th><th>how</th><th>it said</th></tr>{rows}</table>"


def page(results, pictures):
    """`pictures`: (anchor, title, html) of each figure's section."""
    sections = [("which", "Which library for what",
                 "<p class=\"about\">The best by one telling figure each, and how many times better it is than which "
                 "others; <i>or</i> joins libraries that this figure does not tell apart. The sections below say "
                 "more.</p>" + warning(results) + summary.advice_table(results)),
                ("all", "All figures, beside those of a chosen one",
                 reading_text(results) + summary.glance(results)),
                ("libraries", "The libraries", libraries_table(results)),
                ("machine", "The machine", f"<p>{html.escape(machine_text(results))}</p>")]
    if any(failures(results)):
        sections.append(("failed", "What did not come to its end", failures_table(results)))
    sections += pictures
    contents = "".join(f"<li><a href=\"#{anchor}\">{html.escape(title)}</a></li>" for anchor, title, _ in sections)
    body = "".join(f"<h2 id=\"{anchor}\">{html.escape(title)}</h2>{text}" for anchor, title, text in sections)
    versions = ", ".join(dict.fromkeys(results.versions.values()))
    return (f"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Threads and MPI</title>"
            f"<style>{STYLE}</style><h1>Threads and MPI: {html.escape(versions)}</h1>"
            f"<nav><ul>{contents}</ul></nav>{body}</html>\n")
