"""The libraries that are measured: what the user says of them, read and checked.

A mistake of the user's is a Mistake: one sentence, told before anything is built.
"""
import dataclasses
import difflib
import hashlib
import json
import os
import pathlib
import re
import shlex

import load


class Mistake(Exception):
    """One sentence for the user."""


# The libraries that the programs know by the text of MPI_Get_library_version (options.c).
KNOWN = ("MPICH", "Open MPI", "Intel MPI", "MVAPICH", "Heddle")


@dataclasses.dataclass(frozen=True)
class Library:
    """An MPI library with its settings: a column of the page."""
    name: str
    bin: pathlib.Path
    variant: str = ""
    flags: tuple = ()  # of mpiexec
    environment: dict = dataclasses.field(default_factory=dict)
    crowded: dict = dataclasses.field(default_factory=dict)  # further environment: more strands than cores
    benches: tuple = ()  # none: all
    threaded: bool = False  # only runs with several threads
    says: str = ""  # what its version text must contain; empty: what is known of the name

    @property
    def label(self):
        return f"{self.name}, {self.variant}" if self.variant else self.name

    def environ(self, strands):
        return {**os.environ, **self.environment, **(self.crowded if strands > len(load.cores()) else {})}

    def takes(self, run):
        return (not self.benches or run.bench in self.benches) and (run.threads > 1 or not self.threaded)

    def command(self, ranks, program, *options):
        return [str(x) for x in (self.bin / "mpiexec", *self.flags, "-n", ranks, program, *options, "--output", "json")]

    def folder(self, builds, identity):
        """Where its programs are built; `identity` tells builds of different compilers apart."""
        return builds / f"{re.sub(r'[^a-z0-9]+', '-', self.name.lower())}-{fingerprint(identity)}"

    def stranger(self, is_named, text):
        """A sentence if the programs found another library than was asked for: `is_named` is what they
        call it, `text` MPI_Get_library_version's."""
        known = next((name for name in KNOWN if plain(self.name).startswith(plain(name))), None)
        if self.says and self.says not in text:
            wanted = f"'{self.says}' is not in it"
        elif not self.says and known and known != is_named:
            wanted = f"that is not {known}"
        else:
            return None
        return f"{self.label}: its programs run with another library; MPI_Get_library_version says '{text[:100]}', {wanted}"


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def fingerprint(identity):
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:10]


# ---- what the user writes ---------------------------------------------------------------------------

def texts(value):
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def variables(value):
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def text(value):
    return isinstance(value, str)


KEYS = {"name": (text, "text"), "bin": (text, "the folder of mpicc and mpiexec"), "variant": (text, "text"),
        "flags": (texts, "a list of texts"), "environment": (variables, "names with texts: {\"NAME\": \"1\"}"),
        "crowded": (variables, "names with texts: {\"NAME\": \"1\"}"), "benches": (texts, "a list of programs"),
        "threaded": (lambda value: isinstance(value, bool), "true or false"), "says": (text, "text")}


def of_entry(where, entry, benches):
    """A library of the file's entry number so and so."""
    if not isinstance(entry, dict):
        raise Mistake(f"{where}: a library is written {{\"name\": ..., \"bin\": ...}}")
    for key, value in entry.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            raise Mistake(f"{where}: there is no key '{key}'" + (f"; is '{near[0]}' meant?" if near else
                                                                f"; there are {', '.join(KEYS)}"))
        holds, wanted = KEYS[key]
        if not holds(value):
            raise Mistake(f"{where}: '{key}' must be {wanted}")
    for key in ("name", "bin"):
        if not entry.get(key):
            raise Mistake(f"{where}: '{key}' is missing")
    for bench in entry.get("benches", ()):
        if bench not in benches:
            raise Mistake(f"{where}: there is no program '{bench}'; there are {', '.join(benches)}")
    tuples = {key: tuple(entry.get(key, ())) for key in ("flags", "benches")}
    return Library(**{**entry, **tuples, "bin": folder(entry["bin"])})


def folder(name):
    return pathlib.Path(os.path.abspath(os.path.expanduser(name)))


def in_file(path, benches):
    try:
        entries = json.loads(pathlib.Path(path).read_text())
    except OSError as problem:
        raise Mistake(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise Mistake(f"{path} is not JSON: {problem}") from None
    if not isinstance(entries, list):
        raise Mistake(f"{path} must be a list of libraries: [{{\"name\": ..., \"bin\": ...}}, ...]")
    return [of_entry(f"{path}, library {number}", entry, benches) for number, entry in enumerate(entries, 1)]


def of_argument(argument):
    """NAME=FOLDER FLAGS: the flags are for mpiexec. A folder with blanks stands in quotes."""
    name, _, rest = argument.partition("=")
    try:
        bin_folder, *flags = shlex.split(rest)
    except ValueError:
        bin_folder, flags = "", []
    if not name or not bin_folder:
        raise Mistake(f"--mpi wants NAME=FOLDER, or 'NAME=FOLDER FLAGS OF MPIEXEC', not '{argument}'")
    if flags and not flags[0].startswith("-"):
        raise Mistake(f"--mpi {argument}: '{flags[0]}' is no flag of mpiexec; a folder with blanks stands in quotes: NAME='FOLDER'")
    return Library(name, folder(bin_folder), flags=tuple(flags))


def check(libraries):
    """All together: labels once each, and the programs that they need."""
    if not libraries:
        raise Mistake("no library: --mpi NAME=FOLDER or --libraries FILE")
    seen = {}
    for library in libraries:
        if library.label in seen:
            raise Mistake(f"two libraries are called '{library.label}' ({seen[library.label].bin} and "
                          f"{library.bin}): give one another name, or a variant")
        seen[library.label] = library
        for program in ("mpicc", "mpiexec"):
            if not os.access(library.bin / program, os.X_OK):
                raise Mistake(f"{library.label}: there is no program {library.bin / program}")
    return libraries
