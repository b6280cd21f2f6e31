#!/usr/bin/env python3
"""Writes docs/reference/locks.md: every lock of src/, from the comment above its declaration.

    tools/locks.py            writes it
    tools/locks.py --check    fails if the page in the tree is not what it would write

The comment has one sentence, perhaps after others:

    // Lock: guards WHAT; held across WHAT; MORE; MORE.

"held across" is missing where nothing slow is done under the lock. MORE says in which order it is taken, and what
else a reader must know. "guards the rest: WHAT" means, in the source, all that follows in the class.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs/reference/locks.md"
LAYERS = ("base", "exec", "net", "mpi", "runtime", "api")

KINDS = {"SpinLock": "spin lock", "PassedLock": "spin lock", "TurnLock": "spin lock", "ChannelLock": "channel lock",
         "Mutex": "mutex", "std::mutex": "mutex", "std::recursive_mutex": "mutex", "Guarded": "spin locks"}
DECLARATION = re.compile(r"\s*(?:(?:mutable|static|constinit|inline|alignas\([\w:]+\)) +)*"
                         r"(" + "|".join(KINDS) + r") +(\w+)(?:\{\})?;|enum class (Guarded)\b")
OWNER = re.compile(r"(?:struct|class) (?:(?:alignas|CAPABILITY)\([^)]+\) )?([\w:]+)(?: final)?(?: :.*)? \{|(?:[\w:<>*&]+ )+([\w:]+)\(.*\{")
NAMESPACE = re.compile(r"namespace heddle::([\w:]+) \{")
ALL_THAT_FOLLOWS = re.compile(r"^(the rest|what is not said otherwise)(, [^:]*)?: ")
# A class that is itself a lock; what uses one declares it.
LOCK_TYPES = ("Mutex", "PassedLock")

HEAD = """\
# Locks

Written by `tools/locks.py` from the comments above the locks' declarations; do not edit. Locks are leaves: a thread holds no two
of them at once, unless the last column says so. "Nothing" means a few dozen instructions that call nothing slow. No spin lock is
held across a switch ([STYLE](../../STYLE.md)).

| lock | guards | held across | order, and more |
|---|---|---|---|
"""


def comment_above(lines, index):
    """The comment that ends just above the line, as one text."""
    first = index
    while first > 0 and lines[first - 1].lstrip().startswith("//"):
        first -= 1
    return " ".join(line.lstrip()[2:].strip() for line in lines[first:index])


def owners(lines, index):
    """The types, or the function, that the line is in, outermost first."""
    indent = len(lines[index]) - len(lines[index].lstrip())
    found = []
    for line in reversed(lines[:index]):
        depth = len(line) - len(line.lstrip())
        if not line.strip() or depth >= indent:
            continue
        match = OWNER.match(line.lstrip())
        if match:
            found.insert(0, match[1] or match[2])
            indent = depth
    return found


def clauses(comment):
    """What the lock guards, what it is held across, and the rest; None if the comment does not say."""
    found = re.search(r"\bLock: guards (.*?)\.$", comment)
    if not found:
        return None
    guards, *others = found[1].split("; ")
    held = [other.removeprefix("held across ") for other in others if other.startswith("held across ")]
    more = [other for other in others if not other.startswith("held across ")]
    return ALL_THAT_FOLLOWS.sub("", guards), "; ".join(held) or "nothing", "; ".join(more)


def locks_of(name, text):
    """Rows of the page, and the places where a comment is missing."""
    lines = text.splitlines()
    namespace = []
    for index, line in enumerate(lines):
        if opened := NAMESPACE.match(line):
            namespace = opened[1].split("::")
        match = DECLARATION.match(line)
        if not match:
            continue
        inside = owners(lines, index)
        if inside and inside[-1] in LOCK_TYPES:
            continue
        said = clauses(comment_above(lines, index))
        if said is None:
            yield None, f"{name}:{index + 1}: no comment says what this lock guards (tools/locks.py --help says how)"
            continue
        called = "::".join(namespace[-1:] + (inside or [match[2] or match[3]]))
        guards, held, more = said
        kind = KINDS[match[1] or match[3]]
        yield f"| [`{called}`](../../{name}) {kind} | {guards} | {held} | {more} |".replace("|  |", "| |"), None


def sources(root):
    found = [path.relative_to(root).as_posix() for path in (root / "src").rglob("*")
             if path.suffix in (".h", ".cpp") and not path.stem.endswith("_test")]
    return sorted(found, key=lambda name: (LAYERS.index(name.split("/")[1]), name))


def render(root):
    results = [result for name in sources(root) for result in locks_of(name, (root / name).read_text())]
    return HEAD + "".join(f"{row}\n" for row, _ in results if row), [error for _, error in results if error]


def main(arguments):
    if "--help" in arguments:
        print(__doc__.strip())
        return 0
    page, errors = render(ROOT)
    if errors:
        return "\n".join(errors)
    if "--check" in arguments:
        same = OUTPUT.exists() and OUTPUT.read_text() == page
        return 0 if same else "docs/reference/locks.md does not follow from the sources: run tools/locks.py"
    OUTPUT.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
