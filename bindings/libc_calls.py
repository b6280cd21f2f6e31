#!/usr/bin/env python3
"""Reads spec/libc.calls and spec/libc.shared: what a rank gets in place of libc's functions.

    bindings/libc_calls.py              writes cmake/mpi_abi.map and the table in src/exec/process/README.md
    bindings/libc_calls.py --check      fails if they are not what it would write
    bindings/libc_calls.py --out DIR    writes the functions that have an expression, for each file one: DIR/static_results.inc;
                                        and DIR/next_names.inc, the names that libheddle_libc.so looks for in libc
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = ROOT / "spec/libc.calls"
SHARED = ROOT / "spec/libc.shared"
MAP = ROOT / "cmake/mpi_abi.map"
README = ROOT / "src/exec/process/README.md"

MEANS = ("own", "twin", "stream", "number", "host", "locked", "parks", "refused")
LIBRARIES = {"of_rank": "libheddle_libc.so", "exports": "libmpi_abi.so.1"}  # by the folder of the file
PLACE = "src/exec/process"
# char* strtok(char* string, const char* delimiters) noexcept = strtok_r(string, delimiters, &place)
WRITTEN = re.compile(r"(?P<result>[\w ]+[ *]+)(?P<name>\w+)\((?P<parameters>.*)\)(?P<noexcept> noexcept)? = (?P<body>.+)")
NEXT = re.compile(r'\bnext<[^;]*?>\(\s*"(\w+)"\)')  # src/exec/process/state/of_rank/hosted.h
BEGIN = "<!-- Written by bindings/libc_calls.py from spec/libc.calls; do not edit. -->\n"
END = "<!-- end -->\n"

MAP_HEAD = """\
/* What libmpi_abi.so.1 exports; the rest of it, its static libstdc++ included, is private.
   Written by bindings/libc_calls.py from spec/libc.calls; do not edit. */
{
  global:
    MPI_*;
    PMPI_*;
    MPIX_*;
    heddle_*;
"""
MAP_TAIL = """\
  local:
    *;
};
"""


class Row:
    """What a rank gets in place of some names, or why it gets nothing of its own (means and file are None)."""

    def __init__(self, means, file, says):
        self.means = means
        self.file = file  # from the root
        self.says = says
        self.names = []
        self.functions = []  # matches of WRITTEN


def written(function):
    """The definition. Where the expression uses `libc`, that is libc's own function."""
    result, name, parameters, body = (function[part].strip() for part in ("result", "name", "parameters", "body"))
    lines = [f"HEDDLE_EXPORT {result} {name}({parameters}){function['noexcept'] or ''} {{"]
    if re.search(r"\blibc\b", body):
        types = ", ".join(re.sub(r"\b\w+$", "", parameter).strip() for parameter in parameters.split(",") if parameter)
        lines.append(f'  static auto* const libc = next<{result}({types})>("{name}");')
    lines += [("  " if result == "void" else "  return ") + body + ";", "}"]
    return "\n".join(lines) + "\n"


def fail(path, number, message):
    sys.exit(f"{path.relative_to(ROOT)}:{number}: {message}")


def _folder(file):
    return pathlib.PurePath(file).parent.name


def _row_of(path, number, line):
    if path == SHARED:
        return Row(None, None, line)
    parts = line.split(None, 2)
    if len(parts) < 3 or parts[0] not in MEANS:
        fail(path, number, f"a row begins with one of {', '.join(MEANS)}, a file, and what the rank gets")
    if _folder(parts[1]) not in LIBRARIES:
        fail(path, number, f"the file is in a folder {' or '.join(LIBRARIES)} below {PLACE}")
    return Row(parts[0], f"{PLACE}/{parts[1]}", parts[2])


def read(path):
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            rows.append(_row_of(path, number, line))
        elif not rows:
            fail(path, number, "names stand below a row")
        elif function := WRITTEN.fullmatch(line.strip()):
            rows[-1].functions.append(function)
            rows[-1].names.append(function["name"])
        elif "=" in line:
            fail(path, number, "a function is written TYPE NAME(PARAMETERS) = EXPRESSION")
        else:
            rows[-1].names += line.split()
    return rows


def calls():
    return read(CALLS)


def shared():
    return read(SHARED)


def exports(rows, folder):
    """The names that the library of the files in these folders exports."""
    return {name for row in rows if _folder(row.file) == folder for name in row.names}


def repeated(rows):
    """The names that stand twice: each has one owner."""
    names = sorted(name for row in rows for name in row.names)
    return [name for name, following in zip(names, names[1:]) if name == following]


def version_script(rows):
    return MAP_HEAD + "".join(f"    {name};\n" for name in sorted(exports(rows, "exports"))) + MAP_TAIL


def table(rows):
    text = BEGIN + "| libc's | what a rank gets | by | in |\n|---|---|---|---|\n"
    for row in rows:
        path = row.file.removeprefix(PLACE + "/")
        text += f"| `{' '.join(row.names)}` | {row.says} | {row.means} | [{pathlib.Path(path).stem}]({path}) |\n"
    return text + END


def with_table(readme, rows):
    found = re.search(re.escape(BEGIN) + ".*?" + re.escape(END), readme, re.S)
    if not found:
        sys.exit(f"{README.relative_to(ROOT)} has no place for the table")
    return readme[:found.start()] + table(rows) + readme[found.end():]


def names_of_next(texts):
    sources = [path.read_text() for path in (ROOT / PLACE).glob("*/of_rank/*.cpp")]
    names = {name for text in (*sources, *texts) for name in NEXT.findall(text)}
    return "".join(f'"{name}",\n' for name in sorted(names))


def write_functions(rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    texts = {}
    for row in rows:
        if row.functions:
            stem = pathlib.Path(row.file).stem
            texts[stem] = texts.get(stem, "// Written by bindings/libc_calls.py from spec/libc.calls.\n")
            texts[stem] += "".join("\n" + written(function) for function in row.functions)
    texts["next_names"] = names_of_next(texts.values())
    for stem, text in texts.items():
        (folder / f"{stem}.inc").write_text(text)


def main():
    rows = calls()
    if "--out" in sys.argv:
        write_functions(rows, pathlib.Path(sys.argv[sys.argv.index("--out") + 1]))
        return
    if again := repeated(rows + shared()):
        sys.exit(f"these stand twice in spec/libc.calls and spec/libc.shared: {' '.join(again)}")
    for path, text in ((MAP, version_script(rows)), (README, with_table(README.read_text(), rows))):
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)} does not follow from spec/libc.calls: run bindings/libc_calls.py")


if __name__ == "__main__":
    main()
