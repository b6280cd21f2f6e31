"""The API table of spec/ as Python objects; shared by the generators of this folder.

A Function is one C function: the large-count twin MPI_Send_c is its own Function, made from the
same table entry as MPI_Send.
"""
import json
import pathlib
import re
import textwrap

SPEC = pathlib.Path(__file__).resolve().parent.parent / "spec"

# The standard's, but outside of its ABI, which has no MPI_Fint and no MPI_F08_status.
_CONVERSION = re.compile(r"_(c2f|f2c|c2f08|f082c|f2f08|f082f)$")


class Parameter:
    def __init__(self, entry, large):
        self.name = entry["name"]
        self.kind = entry["kind"].removeprefix("POLY")
        self.dir = entry["dir"]
        self.varies = "large" in entry  # its type differs between MPI_X and MPI_X_c
        self.c = entry["large"] if large and self.varies else entry["c"]
        self.length = entry.get("length")
        self.root_only = entry.get("root_only", False)

    @property
    def is_array(self):
        return self.c.endswith("]")

    @property
    def declaration(self):
        """As the header declares it. An array of weights may be MPI_UNWEIGHTED, a pointer to nothing: were it declared
        as an array, gcc would warn that the call accesses one out of bounds."""
        if self.kind == "WEIGHT" and self.is_array:
            return f"{self.type}{self.name}"
        return self.c

    @property
    def type(self):
        """The C type as a function parameter has it: arrays are pointers."""
        if self.c == "...":
            return self.c
        text = re.sub(r"\[\]$", "", self.c)
        fixed = re.match(r"(.*?)(\w+)\[\](\[\d+\])$", self.c)
        if fixed:
            return f"{fixed[1].strip()} (*){fixed[3]}"
        before = re.match(r"(.*?)\w+$", text)[1].rstrip()
        return f"{before} *" if self.is_array and not before.endswith("*") else (
            before + "*" if self.is_array else before)


class Function:
    def __init__(self, entry, large=False):
        self.base = entry["name"]
        self.name = self.base + ("_c" if large else "")
        self.large = large
        self.has_twin = entry.get("large", False)
        self.chapter = entry.get("chapter")
        self.returns = entry["returns"]
        self.params = [
            Parameter(p, large) for p in entry["params"] if large or not p.get("large_only")
        ]
        self.in_abi = not _CONVERSION.search(self.name)

    def prototype(self, prefix=""):
        args = ", ".join(p.declaration for p in self.params) or "void"
        return f"{self.returns} {prefix}{self.name}({args})"

    def param(self, name):
        return next((p for p in self.params if p.name == name), None)


def _with_twins(entries):
    for entry in entries:
        yield Function(entry)
        if entry.get("large"):
            yield Function(entry, large=True)


def functions():
    return list(_with_twins(json.loads((SPEC / "functions.json").read_text())))


def callbacks():
    return list(_with_twins(json.loads((SPEC / "callbacks.json").read_text())))


def constants():
    return json.loads((SPEC / "constants.json").read_text())


def chapters():
    return json.loads((SPEC / "chapters.json").read_text())


def wrap(text, width=100):
    """Breaks a declaration into lines as clang-format would, roughly."""
    return "\n".join(
        textwrap.wrap(text, width, subsequent_indent="    ", break_long_words=False)
    )
