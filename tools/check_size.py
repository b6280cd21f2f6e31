"""Fails if a source file is longer than 500 lines, or a function of the library than 60."""
import re
import sys

from sources import own_files

FILE_LIMIT = 500
FUNCTION_LIMIT = 60
# A line that opens a body after a parameter list; control flow, types and the initializers of a
# constructor do not open functions.
OPENS = re.compile(r"^(\s*)(?![\s:])(?!(?:struct|class)\b)(?!.*\b(?:if|for|while|switch|catch|else|do)\b\s*[({]).*\).*\{$")


def long_functions(lines):
    """Relies on clang-format: a body ends at the first '}' indented as the line that opened it."""
    for start, line in enumerate(lines):
        if not OPENS.match(line):
            continue
        indent = len(line) - len(line.lstrip())
        for end in range(start + 1, len(lines)):
            text = lines[end]
            if text.startswith(" " * indent + "}"):
                if end - start > FUNCTION_LIMIT:
                    yield start + 1, end - start
                break


def main(root):
    errors = []
    for path in own_files(root, (".h", ".cpp", ".c", ".S", ".py", ".sh", ".txt", ".cmake")):
        lines = path.read_text().splitlines()
        if len(lines) > FILE_LIMIT:
            errors.append(f"{path}: {len(lines)} lines; a file has at most {FILE_LIMIT}: split it")
    for path in own_files(root, (".h", ".cpp"), ("src", "launch")):
        for line, length in long_functions(path.read_text().splitlines()):
            errors.append(f"{path}:{line}: {length} lines; a function has at most {FUNCTION_LIMIT}")
    return "\n".join(errors) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
