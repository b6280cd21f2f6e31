"""Fails if a source is not laid out as .clang-format says; with --fix, lays it out.

Version 14, Debian 12's: other versions of clang-format lay out differently.
"""
import subprocess
import sys

from sources import own_files


def main(arguments):
    fix = "--fix" in arguments
    root = [a for a in arguments if a != "--fix"][0]
    files = [str(path) for path in own_files(root, (".h", ".cpp", ".c"))]
    mode = ["-i"] if fix else ["--dry-run", "-Werror", "--ferror-limit=1"]
    if subprocess.run(["clang-format-14", "--style=file", *mode, *files]).returncode:
        return "not laid out as .clang-format says; ./dev format mends it"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
