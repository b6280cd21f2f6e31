"""Fails if a source is not laid out as .clang-format says; with --fix, lays it out.

Version 14, Debian 12's: other versions of clang-format lay out differently. It leaves comments as
they are. So this looks at those of the library: prose has at most 100 columns, and says what it
speaks of. Drawings and tables, which stand two spaces or more behind the slashes, may be wider.
"""
import re
import subprocess
import sys

from sources import own_files

COLUMNS = 100
DRAWING = re.compile(r"\s*//  ")
LEANS_ON_THE_LINE_ABOVE = re.compile(r"\s*// (The same|Of)\b")


def comments_to_mend(root):
    for path in own_files(root, (".h", ".cpp", ".c"), ("src", "launch", "include")):
        if path.stem.endswith("_test"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > COLUMNS and "//" in line and not DRAWING.match(line):
                yield f"{path}:{number}: a comment has at most {COLUMNS} columns"
            if LEANS_ON_THE_LINE_ABOVE.match(line):
                yield f"{path}:{number}: name the thing again, a reader may not have seen the line above"


def main(arguments):
    fix = "--fix" in arguments
    root = [a for a in arguments if a != "--fix"][0]
    files = [str(path) for path in own_files(root, (".h", ".cpp", ".c"))]
    mode = ["-i"] if fix else ["--dry-run", "-Werror", "--ferror-limit=1"]
    if subprocess.run(["clang-format-14", "--style=file", *mode, *files]).returncode:
        return "not laid out as .clang-format says; ./dev format mends it"
    return "\n".join(comments_to_mend(root)) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
