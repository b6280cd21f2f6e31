"""Fails if a header does not compile alone: those of the library as C++20, the public ones as C too.

    check_headers.py ROOT GENERATED    GENERATED: where the build has written the functions of libc

Where a source begins with a header, as each begins with its own, the dev build has compiled that alone already (clang-tidy in CI).
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from sources import own_files

CXX = [os.environ.get("CXX", "g++"), "-x", "c++", "-std=c++20", "-fno-exceptions", "-fno-rtti"]
CC = [os.environ.get("CC", "gcc"), "-x", "c", "-std=c99", "-pedantic"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
LIBRARIES = ["pmix"]  # whose headers lie in folders of their own


def library_flags():
    command = ["pkg-config", "--cflags", *LIBRARIES]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def complaint(root, language, libraries, header):
    # Twice: a header without an include guard is none.
    text = f'#include "{header}"\n#include "{header}"\n'
    command = language + WARNINGS + [f"-I{root}/src", f"-I{root}/include", f"-I{root}", *libraries, "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True)
    return f"{header} does not compile alone:\n{run.stderr}" if run.returncode else None


def begins_a_source(root):
    begun = set()
    for source in own_files(root, (".cpp",), ("src",)):
        if first := re.search(r'^#include "(.+)"$|^#include', source.read_text(), re.MULTILINE):
            begun.add(root / "src" / (first[1] or ""))
    return lambda header: header in begun and "\n#pragma once\n" in header.read_text()


def main(root, generated):
    root = pathlib.Path(root).resolve()
    libraries = [*library_flags(), f"-I{generated}"]
    is_done = begins_a_source(root)
    work = [(CXX, libraries, path) for path in own_files(root, (".h",), ("src", "include")) if not is_done(path)]
    public = list(own_files(root, (".h",), ("include",))) + [root / "include/mpi.h"]
    work += [(CC, [], path) for path in public] + [(CXX, [], root / "include/mpi.h")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(lambda item: complaint(root, *item), work)
        return "\n".join(filter(None, complaints)) or 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
