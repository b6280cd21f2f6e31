"""Writes docs/reference/performance.md and comparison.md from one run on one commit.

Measures what the notes of this commit (results/report-COMMIT.jsonl) lack: a run that was interrupted goes on, and parts may be
measured one after the other. Then it writes both pages from the notes; what they lack is said there to be not measured.
"""
import argparse
import pathlib
import subprocess
import sys

import compare
import goals
import mpis
import parts
import plan
import tables

NAMES = (*plan.WHATS, *parts.PARTS)
PAGES = pathlib.Path(__file__).resolve().parent / "pages"
REFERENCE = mpis.ROOT / "docs/reference"
HIDDEN = "<!-- Written by `./dev bench report` from bench/compare/pages/{}; do not edit. -->"


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench report", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=NAMES, default=NAMES, help=f"of: {' '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--notes", metavar="FILE", type=pathlib.Path, help="measure nothing; write the pages from these notes")
    parser.add_argument("--out", metavar="FOLDER", type=pathlib.Path, default=REFERENCE, help="default: docs/reference")
    return parser.parse_args()


def git(*words):
    return subprocess.run(["git", *words], cwd=mpis.ROOT, capture_output=True, text=True, check=True).stdout.strip()


def commit():
    """The commit that is measured. Documents may have changed: the report writes some."""
    if changed := git("status", "--porcelain", "--", ".", ":!docs", ":!*.md"):
        sys.exit(f"./dev bench report: commit these changes first, since a report is of one commit:\n{changed}")
    return git("rev-parse", "--short=10", "HEAD")


def measure(options):
    """Measures what is lacking; returns the file of notes."""
    name = commit()
    path = mpis.ROOT / "results" / f"report-{name}.jsonl"
    noted = compare.Noted(path, commit=name)
    cases = [case for case in plan.cases(quick=False) if case.what in options.only]
    if cases or "switch" in options.only:
        compare.install(mpis.ALL)
        compare.measure(mpis.ALL, cases, options.rounds, noted, "switch" in options.only)
    for name in [name for name in parts.PARTS if name in options.only]:
        if noted.lacks(kind="part", part=name) and (output := parts.run(parts.PARTS[name], options.rounds)):
            noted.add(kind="part", part=name, rounds=options.rounds, output=output)
    return path


def about(notes):
    """Of which run the figures are."""
    machine = notes.machine
    rounds = 1 + max((run["round"] for run in notes.runs), default=0)
    measured = [name for name in NAMES if notes.cases(name) or notes.part(name) or (name == "switch" and notes.limit("BM_BareSwitch"))]
    missing = [name for name in NAMES if name not in measured]
    which = f"`./dev bench report --only {' '.join(measured)}`" if missing else "`./dev bench report`"
    lacking = f"\nNot measured by this run: {', '.join(missing)}.\n" if missing else ""
    return (f"Measured from {machine['date']} on, commit {machine['commit']}, by {which}: {machine['cores']} cores, {machine['cpu']},\n"
            f"{machine['system']}. Rounds in which the MPIs took turns: {rounds}. Load of the machine when it began: {machine['load']}.\n{lacking}")


def written(notes, name):
    """A page: its text, and in the places between @ signs what the notes say."""
    text = (PAGES / name).read_text()
    fill = {
        "written": lambda: HIDDEN.format(name),
        "about": lambda: about(notes),
        "goals": lambda: "\n".join(f"### {group}\n\n" + tables.table(["goal", "asked", "measured", "met"], goals.rows(notes, group))
                                   for group in goals.GROUPS),
        "limits": lambda: tables.limits(notes),
        "tables": lambda: tables.tables(notes),
        "parts": lambda: "\n".join(parts.section(part, notes.part(part.name), notes.rounds(part.name))
                                   for part in parts.PARTS.values() if notes.part(part.name)),
    }
    for place, what in fill.items():
        if f"@{place}@" in text:
            text = text.replace(f"@{place}@", what().strip())
    return text.rstrip() + "\n"


def main():
    options = read_options()
    path = options.notes or measure(options)
    notes = tables.Notes([path])
    for page in sorted(PAGES.iterdir()):
        target = options.out / page.name.removesuffix(".in")
        target.write_text(written(notes, page.name))
        print(f"written: {target}")
    print(f"from: {path}")


if __name__ == "__main__":
    main()
