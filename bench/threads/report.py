"""Makes one page (HTML with its pictures in it), PNG files and a table of the results of run.py:

  report.py results/*.jsonl [--out FOLDER]

One figure a question, any number of libraries, and a table of how they compare with the first one.
"""
import argparse
import base64
import html
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import figures  # noqa: E402
import summary  # noqa: E402
from results import Results  # noqa: E402

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222 }
h1 { font-size: 1.6em } h2 { margin-top: 2em; font-size: 1.2em } img { width: 100% }
p.about { color: #555 }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
td, th { border: 1px solid #ddd; padding: 3px 8px; text-align: right; white-space: nowrap }
td:first-child, th:first-child { text-align: left }
.worse { background: #fbe3df } .better { background: #e0f2e3 } small { color: #777 }
"""


def embedded(path):
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{html.escape(path.stem)}" src="data:image/png;base64,{data}">'


def machine_text(results):
    parts = [f"{m['date']}: {m['cores']} cores, {m['cpu']}, {m['system']}; {m['rounds']} round(s), "
             f"{m['seconds']:g} s a point." for m in results.machines]
    if results.trips:
        trips = sorted(results.trips)
        parts.append(f"A cache line takes {trips[0]:.0f} to {trips[-1]:.0f} ns to the other core and back "
                     f"(median {trips[len(trips) // 2]:.0f}), measured before each turn: where it jumps, "
                     "so do all figures of two cores.")
    if results.loads:
        loads = sorted(results.loads)
        parts.append(f"Load average {loads[0]:.1f} to {loads[-1]:.1f}.")
    return " ".join(parts)


def failures_table(results):
    if not results.failures:
        return ""
    rows = "".join(f"<tr><td>{html.escape(f['label'])}</td><td>{html.escape(f['bench'])} "
                   f"{html.escape(f['options'])}</td><td>{html.escape(f['failed'])}</td></tr>"
                   for f in results.failures)
    return f"<h2>What did not come to its end</h2><table>{rows}</table>"


def page(results, pictures):
    libraries = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    sections = "".join(f'<h2>{html.escape(figure.title)}</h2><p class="about">{html.escape(figure.about)}</p>'
                       f"{embedded(path)}" for figure, path in pictures)
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Threads and MPI</title>'
            f"<style>{STYLE}</style><h1>Multithreaded MPI: {html.escape(libraries)}</h1>"
            f"<p>{html.escape(machine_text(results))}</p>{summary.table(results)}"
            f"{failures_table(results)}{sections}</html>\n")


def write(paths, folder):
    """Returns the path of the page."""
    results = Results(paths)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = []
    for figure in figures.ALL:
        drawn = figure.draw(results)
        if drawn is None:
            continue
        path = folder / f"{figure.name}.png"
        drawn.savefig(path, dpi=110, bbox_inches="tight")
        plt.close(drawn)
        pictures.append((figure, path))
    (folder / "summary.md").write_text(summary.markdown(results))
    target = folder / "index.html"
    target.write_text(page(results, pictures))
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, nargs="+", help="files that run.py wrote")
    parser.add_argument("--out", type=pathlib.Path, help="default: a folder beside the first of them")
    options = parser.parse_args()
    try:
        print(write(options.results, options.out or options.results[0].with_suffix("")))
    except (OSError, ValueError) as problem:
        sys.exit(f"report.py: {problem}")


if __name__ == "__main__":
    main()
