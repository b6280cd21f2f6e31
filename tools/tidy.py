"""Runs clang-tidy (the checks in .clang-tidy) over the library and launch/, or over the files named.

Most of its time goes into the standard's headers. So over all it reads the files of a folder together, as sanitizers' builds compile
them, and the compiler then looks at each file by itself, which finds a missing #include. A file that is named is read by itself.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src/", "launch/")

# clang 14 cannot read it: _Float16.
UNREADABLE = ("src/mpi/op/loops_usual.cpp", "src/mpi/op/loops_avx2.cpp", "src/mpi/op/loops_avx512.cpp")

# Options of gcc that clang takes for mistakes, or that make errors of clang's own warnings.
GCC_ONLY = ("-mtune-ctrl=", "-fgnu-unique", "-Werror")

# Without -O0 clang takes libc's inline functions for definitions, and ours of the same names for second ones.
# -Wthread-safety: src/base/thread_annotations.h.
CLANG_ONLY = ["-O0", "-Wthread-safety", "-Wno-thread-safety-negative"]


TOGETHER = re.compile(r"/unity_\d+_cxx\.cxx$")


def members(path):
    """The files that one of CMake's reads together."""
    return [pathlib.Path(name).resolve() for name in re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)]


def all_commands(build):
    """Path -> (folder, words): how the build compiles each of its files; and those that it reads together, by their own."""
    found, together = {}, {}
    for command in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        path = pathlib.Path(command["directory"], command["file"]).resolve()  # some files are parts of two programs
        words = shlex.split(command["command"])
        found[path] = command["directory"], words
        if TOGETHER.search(str(path)):
            together[path] = members(path)
            own = {str(path): None}
            for one in together[path]:
                found[one] = command["directory"], [str(one) if word in own else word for word in words]
    return found, together


def commands_for_clang(build, commands):
    """A folder with the commands such as clang understands."""
    folder = pathlib.Path(build, "tidy")
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps([
        {"file": str(path), "directory": directory, "arguments": [word for word in words if not word.startswith(GCC_ONLY)] + CLANG_ONLY}
        for path, (directory, words) in commands.items()]))
    return folder


def is_checked(path):
    name = os.path.relpath(path, ROOT)
    return name.startswith(FOLDERS) and not name.startswith(UNREADABLE) \
        and name.endswith(".cpp") and not name.endswith("_test.cpp")


def tidy(commands, path):
    # A file that includes sources is what reads them together.
    return subprocess.run(["clang-tidy-14", "--quiet", "--checks=-bugprone-suspicious-include", "-p", str(commands), str(path)],
                          capture_output=True, text=True)


def compile_alone(command):
    directory, words = command
    return subprocess.run([*(word for word in words if not word.endswith("/ccache")), "-fsyntax-only"], cwd=directory,
                          capture_output=True, text=True)


def chosen_of_all(commands, together):
    """What clang-tidy reads, and which files of it also the compiler, each by itself."""
    checked = set(filter(is_checked, commands))
    folders = {path: those for path, those in together.items() if checked.issuperset(those)}
    inside = set().union(*folders.values())
    return [*folders, *sorted(checked - inside)], sorted(inside)


def main():
    parser = argparse.ArgumentParser(prog="./dev tidy", description=__doc__)
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    commands, together = all_commands(options.build)
    database = commands_for_clang(options.build, commands)
    chosen, alone = chosen_of_all(commands, together)
    if options.files:
        chosen, alone = [pathlib.Path(f).resolve() for f in options.files], []

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(tidy, database, path) for path in chosen] + [pool.submit(compile_alone, commands[path]) for path in alone]
        for run in (run.result() for run in runs):
            if run.returncode or run.stdout.strip():
                print(run.stdout.strip() or run.stderr.strip(), flush=True)
            failed += run.returncode != 0
    return f"clang-tidy or the compiler objects {failed} times" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
