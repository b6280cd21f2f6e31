"""Prints which targets of a build folder some tests need: `all`, or just their programs.

    programs_of_tests.py BUILD [CTEST'S ARGUMENTS...]    the tests that ctest would choose with these

A test that names a folder of the build, or a file that the build does not know, needs all.
"""
import json
import pathlib
import re
import subprocess
import sys

TEST = re.compile(r'^add_test\(\[=\[(.*?)\]=\] (.*)\)$', re.MULTILINE)
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')


def commands(build):
    """Test -> the words of its command. ctest itself tells no command whose program is still to be built."""
    return {name: WORD.findall(words) for file in build.rglob("CTestTestfile.cmake")
            for name, words in TEST.findall(file.read_text())}


def needed(build, words, known):
    """The targets that a command needs, as the build knows them."""
    paths = [pathlib.Path(word) for word in words if word.startswith(f"{build}/")]
    names = {path.relative_to(build).as_posix() for path in paths}
    return names if names <= known else {"all"}


def main(build, *arguments):
    build = pathlib.Path(build).resolve()
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *arguments], capture_output=True, text=True, check=True)
    chosen = [test["name"] for test in json.loads(listed.stdout)["tests"]]
    targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^(\S+): (?!phony)", targets, re.MULTILINE))
    command_of = commands(build)
    programs = set().union(*(needed(build, command_of[name], known) for name in chosen))
    print("\n".join(["all"] if "all" in programs else sorted(programs)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
