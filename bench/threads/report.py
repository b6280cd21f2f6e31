"""Makes one page (HTML with its pictures in it), SVG files and a table of the results of run.py:

  report.py results/*.jsonl [--out FOLDER]

Which library for what, all figures beside those of a chosen one, and a figure for each question. Without
matplotlib the page has its tables only.
"""
import argparse
import base64
import html
import pathlib
import sys

import page
import summary
from results import Results

NO_FIGURES = ("the page has no figures: they need matplotlib (Debian's python3-matplotlib, or pip install "
              "matplotlib); report.py makes the page again")


def pictures(results, folder):
    """(figure, its file) of those that the results have something of; or None without matplotlib."""
    try:
        import matplotlib.pyplot
    except ImportError:
        return None
    import figures
    import looks
    of_library, made = looks.Looks(results), []
    for figure in figures.ALL:
        drawn = figure.draw(results, of_library)
        if drawn is None:
            continue
        path = folder / f"{figure.name}.svg"
        drawn.savefig(path, dpi=150, metadata={"Date": None})
        matplotlib.pyplot.close(drawn)
        made.append((figure, path))
    return made


def section(figure, path):
    data = base64.b64encode(path.read_bytes()).decode()
    return (figure.name, figure.title, f"<p class=\"about\">{html.escape(figure.about)}</p>"
            f"<img alt=\"{html.escape(figure.title)}\" src=\"data:image/svg+xml;base64,{data}\">")


def write(paths, folder):
    """Returns the path of the page, and a sentence if it is without figures."""
    results = Results(paths)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pictures(results, folder)
    (folder / "summary.md").write_text(summary.markdown(results))
    target = folder / "index.html"
    target.write_text(page.page(results, [section(*one) for one in drawn or ()]))
    return target, None if drawn is not None else NO_FIGURES


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, nargs="+", help="files that run.py wrote")
    parser.add_argument("--out", type=pathlib.Path, help="default: a folder beside the first of them")
    options = parser.parse_args()
    try:
        made, missing = write(options.results, options.out or options.results[0].with_suffix(""))
    except OSError as problem:
        sys.exit(f"report.py: {problem.filename}: {problem.strerror}")
    except ValueError as problem:
        sys.exit(f"report.py: {problem}")
    print(made)
    if missing:
        print(f"report.py: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
