"""Reads spec/calls/*.calls: which functions are implemented, and by which C++ expression.

    include "mpi/p2p/send.h"
    MPI_Send = p2p::send({buf, count, datatype}, {comm, dest, tag})
    MPI_Wtime returns runtime::wtime()
    MPI_Initialized before_init = runtime::initialized(flag)

A line that starts with a space goes on with the line before it. bindings/README.md says what the
names in an expression are.
"""
import difflib
import re
import sys

import api

_LINE = re.compile(r"(\w+)((?:\s+\w+)*)\s*=(?!=)\s*(.+)$|(\w+)\s+returns\s+(.+)$")


class Call:
    def __init__(self, name, expression, returns, flags, where):
        self.name = name
        self.expression = expression
        self.returns = returns  # the expression is the value, not an Error; no checks
        self.anytime = "before_init" in flags
        self.where = where
        self.communicates = False  # it waits, or lets others run by itself

    def words(self):
        return set(re.findall(r"\b[A-Za-z_]\w*\b", self.expression))


class CallsFile:
    def __init__(self, path):
        self.path = path
        self.stem = path.stem
        self.includes = []
        self.calls = []


def fail(where, message):
    sys.exit(f"{where}: {message}")


def _logical_lines(path):
    """(line number, text) with continuation lines joined and comments dropped."""
    lines = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        if text[0].isspace() and lines:
            lines[-1][1] += " " + text.strip()
        else:
            lines.append([number, text.strip()])
    return lines


def _suggest(word, names):
    close = difflib.get_close_matches(word, names, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _check_parameters(call, function):
    """A parameter that is misspelt would give a C++ error far from here."""
    known = {p.name for p in function.params} | {"entry", "blamed", "large"}
    for word in re.findall(r"[&*(,{ ]([a-z_]\w*)(?=\s*[,)}])", call.expression):
        if word not in known and difflib.get_close_matches(word, known, 1, 0.75):
            if word in ("true", "false", "nullptr"):
                continue
            fail(call.where, f"{call.name} has no parameter {word}{_suggest(word, known)} "
                             f"Its parameters: {', '.join(p.name for p in function.params)}")


def read(path, functions):
    """`functions`: name to api.Function, the large twins included for their extra parameters."""
    result = CallsFile(path)
    for number, text in _logical_lines(path):
        where = f"{path}:{number}"
        include = re.match(r'include\s+"([^"]+)"$', text)
        if include:
            result.includes.append(include[1])
            continue
        match = _LINE.match(text)
        if not match:
            fail(where, f'neither include "…", NAME = expression nor NAME returns expression: {text}')
        name, flags = match[1] or match[4], (match[2] or "").split()
        unknown = set(flags) - {"before_init"}
        if unknown:
            fail(where, f"unknown word {unknown.pop()} before =; only before_init is known")
        if name not in functions:
            fail(where, f"{name} is no function of MPI 5.0{_suggest(name, functions)}")
        function = functions[name]
        if function.large:
            fail(where, f"{name} is made from the line of {function.base}; remove this one")
        call = Call(name, match[3] or match[5], match[5] is not None, flags, where)
        _check_parameters(call, functions.get(name + "_c", function))
        result.calls.append(call)
    return result


def read_all(folder=None):
    folder = folder or api.SPEC / "calls"
    functions = {f.name: f for f in api.functions()}
    files = [read(path, functions) for path in sorted(folder.glob("*.calls"))]
    seen = {}
    for call in (c for f in files for c in f.calls):
        if call.name in seen:
            fail(call.where, f"{call.name} has a line already: {seen[call.name]}")
        seen[call.name] = call.where
    return files


def implemented(files=None):
    """The names of all functions with a line, and their large twins."""
    names = {c.name for f in files or read_all() for c in f.calls}
    return {f.name for f in api.functions() if f.base in names}
