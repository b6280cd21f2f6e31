"""Builds the programs with a library and finds out which library they then run with."""
import dataclasses
import os
import pathlib
import shlex

import jobs
import load
import results
from libraries import Mistake

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 60  # seconds for a question to a library


@dataclasses.dataclass(frozen=True)
class Built:
    """A library whose programs lie in `folder`, and what they say of it."""
    library: object
    folder: pathlib.Path
    text: str  # MPI_Get_library_version's
    rank_is: str  # "process" or "thread", of a process that the ranks of a node share

    def note(self):
        """The line of the results file that says how this column came about."""
        library = self.library
        return {"setup": library.label, "name": library.name, "variant": library.variant, "says": self.text,
                "rank_is": self.rank_is, "bin": str(library.bin), "environment": library.environment, "crowded": library.crowded,
                "command": shlex.join(library.command("RANKS", self.folder / "PROGRAM", "OPTIONS"))}


def identity(library):
    """All that the built programs depend on, besides their sources. What the environment does to
    the compiler, the wrapper says itself; one that does not know -show gets a folder for each environment."""
    wrapper = (library.bin / "mpicc").resolve()
    shown = jobs.run([str(library.bin / "mpicc"), "-show"], library.environ(1), PATIENCE)
    return [str(library.bin), str(wrapper), wrapper.stat().st_mtime_ns,
            shown.output if shown.status == 0 else library.environment,
            os.environ.get("CC"), os.environ.get("CFLAGS")]


def first_of(said):
    """The line of a program's output that tells most: one with 'error', or the first with words."""
    lines = [line.strip() for line in said.splitlines() if any(c.isalpha() for c in line)]
    return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "it said nothing")[:200]


def compile_all(library, folder):
    if " " in str(folder):
        raise Mistake(f"{library.label}: make cannot build in '{folder}', which has a space; choose another --build")
    folder.mkdir(parents=True, exist_ok=True)
    made = jobs.run(["make", "-k", f"-j{len(load.cores())}", "-C", str(HERE),
                     f"MPICC={shlex.quote(str(library.bin / 'mpicc'))}", f"OUT={folder}"], library.environ(1))
    log = folder / "build.log"
    log.write_text(made.output)
    if made.status != 0:
        raise Mistake(f"{library.label}: building failed: {first_of(made.output)} (all of it: {log})")


def identify(library, folder):
    """Runs one program for a moment: what it says of the library is what all will run with."""
    command = library.command(2, folder / "overhead", "--level", "single", "--sizes", 0, "--seconds", 0.001)
    asked = jobs.run(command, library.environ(2), PATIENCE)
    lines, said = results.split(asked.output)
    if asked.status != 0 or not lines:
        how = ("did not end" if asked.status is None else
               f"ended with status {asked.status}" if asked.status else "printed no result")
        raise Mistake(f"{library.label}: {shlex.join(command)} {how}: {first_of(said)}")
    wrong = library.stranger(lines[0]["library"], says(lines[0]))
    if wrong:
        raise Mistake(wrong)
    return Built(library, folder, says(lines[0]), lines[0].get("rank_is", ""))


def says(line):
    return line.get("library_says", f"{line['library']} {line['version']}")


def build(library, builds, compiled):
    """`compiled`: folders that this call need not build again; it adds its own."""
    folder = library.folder(builds, identity(library))
    if folder not in compiled:
        print(f"building with {library.label}", flush=True)
        compile_all(library, folder)
        compiled.add(folder)
    return identify(library, folder)


def build_all(libraries, builds):
    """Those that could be built; a sentence for each other one. Returns (built, sentences)."""
    built, failed, compiled = [], {}, set()
    for library in libraries:
        try:
            built.append(build(library, builds, compiled))
        except Mistake as problem:
            failed[library.label] = str(problem)
            print(f"{problem}; the others go on" if len(libraries) > 1 else problem, flush=True)
    return built, failed
