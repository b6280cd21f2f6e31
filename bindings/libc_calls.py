#!/usr/bin/env python3
"""Reads spec/libc.calls, libc.shared, libc.same and system.calls: what a rank gets in place of libc's functions.

    bindings/libc_calls.py              writes cmake/mpi_abi.map and the table in src/exec/process/README.md
    bindings/libc_calls.py --check      fails if they are not what it would write
    bindings/libc_calls.py --out DIR    writes the functions that have an expression, for each file one: DIR/static_results.inc;
                                        and what libc()'s table has: DIR/libc_functions.inc and DIR/libc_names.inc;
                                        and which arguments of system calls are descriptors: DIR/system_calls.inc;
                                        and which system calls are made by functions: DIR/system_functions.inc
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = ROOT / "spec/libc.calls"
SHARED = ROOT / "spec/libc.shared"
SAME = ROOT / "spec/libc.same"
CALLBACKS = ROOT / "spec/libc.callbacks"
SYSTEM = ROOT / "spec/system.calls"
MAP = ROOT / "cmake/mpi_abi.map"
README = ROOT / "src/exec/process/README.md"

MEANS = ("own", "twin", "stream", "named", "number", "host", "locked", "parks", "refused")
LIBRARIES = {"of_rank": "libheddle_libc.so", "exports": "libmpi_abi.so.1"}  # by the folder of the file
PLACE = "src/exec/process"
# int close(int descriptor)
SIGNATURE = re.compile(r"(?P<result>[\w ]+[ *]+)(?P<name>\w+)\((?P<parameters>.*?)\)(?P<noexcept> noexcept)?")
# char* strtok(char* string, const char* delimiters) noexcept = strtok_r(string, delimiters, &place)
WRITTEN = re.compile(SIGNATURE.pattern + " = (?P<body>.+)")
VARIABLE = re.compile(r"(?P<type>[\w ]+\*+) (?P<name>\w+)")  # char** __environ
# A parameter's mark: its type in C, and what libc's function gets in its place.
MARKS = {
    "fd": ("int", "in_process({0})"),
    "path": ("const char*", "OwnPath({0})"),
    "link": ("const char*", "OwnPath({0}, AT_FDCWD, false)"),  # the call asks for a link itself
    "request": ("aiocb*", "named({0})"),
    "request64": ("aiocb64*", "named({0})"),
    "event": ("sigevent*", "Notified({0})"),
    "const_event": ("const sigevent*", "Notified({0})"),
}
MARKED = re.compile(rf"\b({'|'.join(MARKS)}) (\w+)")
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
        self.functions = []  # matches of WRITTEN, and of SIGNATURE where the row's means is "named"
        self.of_libc = {}  # by name: how libc()'s table has it

    def add(self, declared, calls_libc):
        """What SIGNATURE, WRITTEN or VARIABLE has matched."""
        name = declared["name"]
        self.names.append(name)
        if calls_libc and "type" in declared.groupdict():
            self.of_libc[name] = f"{declared['type']}* {name};"
        elif calls_libc:
            self.of_libc[name] = f"{declared['result'].strip()} (*{name})({in_c(declared['parameters'])});"


def written(function):
    """The definition. Where the expression uses `libc`, that is libc's own function."""
    result, name, parameters, body = (function[part].strip() for part in ("result", "name", "parameters", "body"))
    body = re.sub(r"\blibc\b(?!\(\))", f"libc().{name}", body)
    lines = [f"{body};"] if result == "void" else [f"return {body};"]
    if parameters.endswith(", ..."):
        last = re.search(r"(\w+), \.\.\.$", parameters)[1]
        lines = (["va_list arguments;", f"va_start(arguments, {last});", body + ";" if result == "void" else f"const auto result = {body};",
                  "va_end(arguments);"] + ([] if result == "void" else ["return result;"]))
    return (f"HEDDLE_EXPORT {result} {name}({parameters}){function['noexcept'] or ''} {{\n"
            f"{''.join(f'  {line}' + chr(10) for line in lines)}}}\n")


def in_c(parameters):
    """The parameters with the types of C in place of marks."""
    return MARKED.sub(lambda marked: f"{MARKS[marked[1]][0]} {marked[2]}", parameters)


def _given(parameter, parameters):
    """What libc's function gets for the parameter."""
    name = re.search(r"\w+$", parameter)[0]
    marked = MARKED.fullmatch(parameter)
    if not marked:
        return name
    if marked[1] == "path" and "fd folder" in parameters:
        follows = ", (flags & AT_SYMLINK_NOFOLLOW) == 0" if "int flags" in parameters else ""
        return f"OwnPath({name}, folder{follows})"
    return MARKS[marked[1]][1].format(name)


def named(function):
    """The definition of a function of which the marks of its parameters say all."""
    result, name, parameters = (function[part].strip() for part in ("result", "name", "parameters"))
    given = ", ".join(_given(parameter, parameters.split(", ")) for parameter in parameters.split(", "))
    return (f"HEDDLE_EXPORT {result} {name}({in_c(parameters)}){function['noexcept'] or ''} {{\n"
            f"  take_due_turn();\n  return libc().{name}({given});\n}}\n")


def fail(path, number, message):
    sys.exit(f"{path.relative_to(ROOT)}:{number}: {message}")


def _folder(file):
    return pathlib.PurePath(file).parent.name


def _row_of(path, number, line):
    if path != CALLS:
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
            rows[-1].add(function, re.search(r"\blibc\b", function["body"]))
        elif function := SIGNATURE.fullmatch(line.strip()) or VARIABLE.fullmatch(line.strip()):
            rows[-1].add(function, True)
            if rows[-1].means == "named":
                rows[-1].functions.append(function)
        elif "=" in line or "(" in line:
            fail(path, number, "a function is written TYPE NAME(PARAMETERS) = EXPRESSION")
        else:
            rows[-1].names += line.split()
    return rows


def calls():
    return read(CALLS)


def shared():
    return read(SHARED)


def same():
    return read(SAME)


def callbacks():
    return read(CALLBACKS)


def system_calls():
    """The names by their row's head: "1 3" (arguments that are descriptors), makes, as-named, same, shared."""
    rows = {}
    for line in SYSTEM.read_text().splitlines():
        if line.startswith(" "):
            rows[head] += line.split()
        elif line.strip() and not line.startswith("#"):
            head = line.split("  ")[0].strip()
            rows.setdefault(head, [])
    return rows


def _cases(names):
    return "".join(f"#ifdef SYS_{name}\n    case SYS_{name}:\n#endif\n" for name in names)


def about_system_calls():
    rows = system_calls()
    arguments = "".join(f"{_cases(names)}      return {sum(1 << int(place) - 1 for place in head.split())};\n"
                        for head, names in rows.items() if head[0].isdigit())
    return (f"constexpr unsigned descriptor_arguments(long number) noexcept {{\n  switch (number) {{\n{arguments}"
            "    default:\n      return 0;\n  }\n}\n\n"
            f"constexpr bool makes_descriptor(long number) noexcept {{\n  switch (number) {{\n{_cases(rows['makes'])}"
            "      return true;\n    default:\n      return false;\n  }\n}\n")


def about_system_functions():
    return "".join(f"#ifdef SYS_{name}\n    case SYS_{name}:\n      return call({name}, arguments, result);\n#endif\n"
                   for name in system_calls()["as-function"])


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


def write_functions(rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    texts = {}
    for row in rows:
        if row.functions:
            stem = pathlib.Path(row.file).stem
            texts[stem] = texts.get(stem, "// Written by bindings/libc_calls.py from spec/libc.calls.\n")
            define = named if row.means == "named" else written
            texts[stem] += "".join("\n" + define(function) for function in row.functions)
    of_libc = {name: text for row in rows + same() for name, text in row.of_libc.items()}
    texts["libc_functions"] = "".join(f"{of_libc[name]}\n" for name in sorted(of_libc))
    texts["libc_names"] = "".join(f'"{name}",\n' for name in sorted(of_libc))
    texts["system_calls"] = about_system_calls()
    texts["system_functions"] = about_system_functions()
    for stem, text in texts.items():
        (folder / f"{stem}.inc").write_text(text)


def main():
    rows = calls()
    if "--out" in sys.argv:
        write_functions(rows, pathlib.Path(sys.argv[sys.argv.index("--out") + 1]))
        return
    if again := repeated(rows + shared() + same()):
        sys.exit(f"these stand twice in spec/libc.calls, libc.shared and libc.same: {' '.join(again)}")
    for path, text in ((MAP, version_script(rows)), (README, with_table(README.read_text(), rows))):
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)} does not follow from spec/libc.calls: run bindings/libc_calls.py")


if __name__ == "__main__":
    main()
