#!/usr/bin/env python3
"""Writes docs/reference/coverage.md: which of the standard's functions exist, from spec/.

    bindings/coverage.py            writes it
    bindings/coverage.py --check    fails if the file in the tree is not what it would write
"""
import json
import pathlib
import sys

import api
import calls
import fortran

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "docs/reference/coverage.md"

HEAD = """\
# Which MPI functions exist

Written by `bindings/coverage.py` from `spec/`; do not edit. A function that is not implemented is
not exported: a program that needs it fails when it is linked, and configure scripts see the truth.

**{done} of the {total} functions of the MPI 5.0 standard ABI** ({done_large} of {total_large} large-count
ones among them), each with its `PMPI_` twin; beside the ABI, {conversions} of {all_conversions} `c2f` and
`f2c` functions. The Fortran interfaces (`mpif.h`, modules `mpi` and `mpi_f08`) have
**{fortran} of {all_fortran} procedures**, each with its `PMPI_` twin: all whose C function exists.

| chapter | C: functions | implemented | | mpif.h, mpi | mpi_f08 |
|---|---:|---:|---|---:|---:|
"""


def percent_bar(done, total):
    filled = round(10 * done / total)
    return "█" * filled + "░" * (10 - filled)


def row(chapter, functions, implemented, table):
    done = sum(f.name in implemented for f in functions)
    title = chapter.replace("_", " ")
    languages = [part(table, chapter, implemented, key) for key in ("params", "f08")]
    return f"| {title} | {len(functions)} | {done} | {percent_bar(done, len(functions))} | {' | '.join(languages)} |\n"


def part(table, chapter, implemented, key):
    """How many procedures of a chapter an interface has, of how many; both sizes of one are one procedure."""
    chapters = {f.base: f.chapter for f in api.functions()}
    names = [e["name"] for e in table if not e.get("abstract") and key in e and chapters.get(e["name"], "fortran") == chapter]
    there = sum(name in implemented or name in fortran.BY_HAND and name not in chapters for name in names)
    return f"{there} of {len(names)}" if names else ""


def names(functions):
    """`MPI_Send` stands for MPI_Send and MPI_Send_c."""
    twins = {f.base for f in functions if f.large}
    return ", ".join(f"`{f.base}`{'⁺' if f.base in twins else ''}" for f in functions if not f.large)


def section(chapter, functions, implemented):
    there = [f for f in functions if f.name in implemented]
    missing = [f for f in functions if f.name not in implemented]
    text = f"\n## {chapter.replace('_', ' ')}\n\n"
    if there:
        text += f"Implemented: {names(there)}.\n"
    if missing:
        text += ("\n" if there else "") + f"Missing: {names(missing)}.\n"
    return text


def render():
    implemented = calls.implemented()
    everything = api.functions()
    abi = [f for f in everything if f.in_abi]
    conversions = [f for f in everything if not f.in_abi]
    large = [f for f in abi if f.large]

    def done(functions):
        return sum(f.name in implemented for f in functions)

    table = json.loads((api.SPEC / "fortran.json").read_text())
    text = HEAD.format(fortran=len(list(fortran.procedures())), all_fortran=sum(not entry.get("abstract") for entry in table),
                       done=done(abi), total=len(abi), done_large=done(large),
                       total_large=len(large), conversions=done(conversions),
                       all_conversions=len(conversions))
    by_chapter = {c: [f for f in abi if f.chapter == c] for c in api.chapters()}
    text += "".join(row(c, fs, implemented, table) for c, fs in by_chapter.items())
    text += "\n⁺ with its large-count twin `…_c`.\n"
    text += "".join(section(c, fs, implemented) for c, fs in by_chapter.items())
    return text + section("beside the ABI", conversions, implemented)


def main():
    if "--check" in sys.argv:
        if not OUTPUT.exists() or OUTPUT.read_text() != render():
            sys.exit("docs/reference/coverage.md does not follow from spec/: run bindings/coverage.py")
        return
    OUTPUT.write_text(render())


if __name__ == "__main__":
    main()
