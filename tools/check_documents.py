"""Fails if a document leads nowhere: a link of a Markdown page, or a file or command that a page or a comment names.

- A relative link leads to a file or folder of the repository; with #..., to a heading of that page.
- A path in backticks exists, seen from the page if it begins with ../, else as the end of a file's or folder's path. The
  name of a program without the end of its source is enough. So does the source of a program build/PRESET/bench/….
  Decisions, bench notes and the change log tell history: the files that they name may be gone.
- So does a source or page that a comment of C or C++ names. The names of examples are in EXAMPLES.
- A page of docs/ that a comment, a message or a script names exists. It may be named without .md, and a decision by its
  number alone.
- A file of C++ in a drawing or in code of a page (between ```) exists.
- A name of code in backticks, or with :: in a drawing, a setting HEDDLE_… and an option --… stand in some file that is no
  page, outside of comments of C and C++, and what is before :: is declared. FOREIGN has names that belong to others. History
  may name those that are gone.
- So does a name in a comment of C or C++ that has ::, is a constant kX or is followed by ().
- A README with a reading order (or a tour in it) names each header of its folder and of the folder's rooms.
- A command `./dev COMMAND` stands in what `./dev help` prints. History may name those that are gone.
- ARCHITECTURE.md names each folder src/X/Y.
- Each page of docs/ is linked from another one. The list of bench notes has the last day of each.
"""
import os
import pathlib
import posixpath
import re
import sys

# The last one is written by a measurement, and names functions of its commit.
HISTORY = ("docs/decisions/", "docs/bench-notes/", "CHANGELOG.md", "docs/reference/comparison.md")
SOURCES = (".h", ".cpp", ".c", ".S", ".py", ".sh", ".cmake", ".json", ".in", ".pml", ".yml")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\(([^()\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.+-]+(/[\w.+-]+)*/?")
SUFFIX = re.compile(r"\.(h|cpp|c|S|py|sh|cmake|json|md|pml|calls|txt)$")
OWN_TEST = "tests/house/documents_test.py"  # names pages that it makes
UNLOOKED = (".git", "build", "results", "__pycache__")
WRITTEN = ("build/", "results/", "mpif.h")  # what a build or a benchmark writes
MENTIONED = re.compile(r"(?<![\w./<-])[\w-]+(?:/[\w-]+)*\.(?:h|cpp|c|S|md|pml|calls)\b(?!\.)")
COMMENT = re.compile(r"//([^\n]*)|/\*(.*?)\*/", re.S)
C_FILES = (".h", ".cpp", ".c")
EXAMPLES = ("old.c", "file.c", "PREFIX/", "mpif.h")
PLACEHOLDER = re.compile(r"x(_test)?\.|.*NNNN")
BENCHMARK = re.compile(r"\bbuild/\w+/(bench/[\w/]+)")
COMMAND = re.compile(r"(?:^|`)\./dev ([a-z]\w*)", re.M)  # in backticks, or where a line begins
DRAWN = re.compile(r"(?<![\w./-])[\w-]+(?:/[\w-]+)*\.(?:h|cpp|pml|S|cmake)\b")
# A word with an underscore, with a capital inside, with :: or with (): no word of English.
NAME = re.compile(r"(?=\w*[a-z])(?=\w*_|\w*[a-z][A-Z]|.*[:(])\w+(?:::~?\w+)*(?:\(\))?")
QUALIFIED = re.compile(r"\b[a-z]\w*(?:::\w+)+")  # in a drawing
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
SETTING = re.compile(r"\bHEDDLE_[A-Z_]*[A-Z]\b")
DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
WORD = re.compile(r"[A-Za-z_]\w*|" + OPTION.pattern)
IN_COMMENT = re.compile(r"\b[A-Za-z_]\w*(?:::~?\w+)+|\b[a-z]\w*_\w+\(\)|\bk[A-Z]\w+|" + SETTING.pattern)
DECLARED = re.compile(r"\b(?:namespace|class|struct|enum class)\s+(?:\w+::)*(\w+)")
# Patterns of names, names that the build writes, and names of other projects.
FOREIGN = re.compile(r"_slow|PascalCase|snake_case|trailing_|kPascal|X_c|mpi_\w+_f08(ts)?_|mpi_comm_rank_|l_real|shm_lpid|"
                     r"latency_mt|mt_\w+|mpi_yield_when_idle|my_\w+|on_x|begin_x|seq_cst|--leak-check")
PAGE = re.compile(r"\bdocs/[\w/-]+(?:\.md)?")


def tree(root):
    """All files, as names from the root, and the folders that they lie in."""
    files = []
    for folder, inner, here in os.walk(root):
        inner[:] = [name for name in inner if name not in UNLOOKED]
        files += [os.path.relpath(os.path.join(folder, name), root) for name in here]
    folders = {folder.as_posix() for name in files for folder in pathlib.PurePath(name).parents}
    return sorted(files), folders


def anchors(text):
    """The names that hosting sites give to a page's headings."""
    heads = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def bad_links(root, page, text):
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (root / page).parent / name if name else root / page
        if not path.exists():
            yield f"{page}: the link to {target} leads nowhere"
        elif anchor and anchor not in anchors(path.read_text()):
            yield f"{page}: the link to {target} names no heading there"


def linked_pages(page, text):
    targets = (target.partition("#")[0] for target in LINK.findall(FENCE.sub("", text)))
    pages = {posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) for target in targets}
    return pages - {page}


class Names:
    """Answers whether a path in backticks means something in the repository."""

    def __init__(self, files, folders):
        self.every = {*files, *folders}
        self.tops = {name.split("/")[0] for name in folders if name != "."}
        self.tops |= {name.split("/")[1] for name in folders if re.fullmatch(r"src/\w+", name)}
        self.ends = {"/".join(parts[i:]) for parts in (name.split("/") for name in self.every) for i in range(len(parts))}
        self.programs = {name.rpartition(".")[0] for name in files if name.endswith((".c", ".cpp"))}

    def is_path(self, word):
        if not PATH.fullmatch(word) or word.startswith(WRITTEN) or PLACEHOLDER.match(word):
            return False
        return bool(SUFFIX.search(word)) or ("/" in word and word.split("/")[0] in self.tops)

    def exists(self, page, word):
        if word.startswith("../"):
            return posixpath.normpath(posixpath.join(posixpath.dirname(page), word)) in self.every
        word = word.rstrip("/").removeprefix("./")
        return word in self.ends or word in self.programs


def bad_names(names, page, text):
    for word in QUOTED.findall(FENCE.sub("", text)):
        if names.is_path(word) and not names.exists(page, word):
            yield f"{page}: `{word}` does not exist"


def bad_benchmarks(names, page, text):
    for program in BENCHMARK.findall(text):
        if not names.exists(page, program):
            yield f"{page}: there is no {program}"


def bad_commands(commands, page, text):
    for command in COMMAND.findall(text):
        if command not in commands:
            yield f"{page}: ./dev help lists no ./dev {command}"


class Words:
    """Answers whether a name of code stands in a file that is no page."""

    def __init__(self, root, files):
        self.words, self.declared = {pathlib.PurePath(name).stem for name in files}, set()
        for name in files:
            if name.endswith(".md") or name == OWN_TEST:
                continue
            text = (root / name).read_text(errors="replace")
            if name.endswith(C_FILES):
                text = COMMENT.sub(" ", text)
            self.words.update(WORD.findall(text))
            self.declared.update(DECLARED.findall(text))

    def knows(self, name):
        *owners, last = re.sub(r"[()~]", "", name).split("::")
        if FOREIGN.fullmatch(last) or "std" in owners:
            return True
        return last in self.words and self.declared.issuperset(owners)

    def knows_parts(self, name):
        """In a comment the owner may be an object."""
        parts = re.sub(r"[()~]", "", name).split("::")
        return parts[0] == "std" or all(part in self.words or FOREIGN.fullmatch(part) for part in parts)


def bad_words(words, page, text):
    drawn = "\n".join(FENCE.findall(text))
    quoted = QUOTED.findall(FENCE.sub("", text))
    found = SETTING.findall(text) + QUALIFIED.findall(drawn) + [word for word in quoted if NAME.fullmatch(word)]
    found += [option for word in quoted for option in OPTION.findall(word)]
    for name in sorted({name for name in found if not words.knows(name)}):
        yield f"{page}: {name} stands in no source"


def old_days(root, notes="docs/bench-notes"):
    rows = (root / notes / "README.md").read_text().splitlines() if (root / notes / "README.md").exists() else []
    for row in rows:
        for note in re.findall(r"^\| .*?\]\(([\w-]+\.md)\)", row):
            path = root / notes / note  # a link that leads nowhere is told by bad_links()
            last = max(DAY.findall(path.read_text()), default="") if path.exists() else ""
            if last not in row:
                yield f"{notes}/README.md: the last day of {note} is {last}"


def unmapped_folders(root, folders, page="ARCHITECTURE.md"):
    text = (root / page).read_text() if (root / page).exists() else ""
    for folder in sorted(folders if text else ()):
        if re.fullmatch(r"src/\w+/\w+", folder) and not re.search(rf"[/{{,`]{folder.split('/')[2]}[/}},`]", text):
            yield f"{page}: it does not name {folder}"


def unlisted_headers(files, page, text):
    """A folder below with a README, or a module of its own (exports), has its own order."""
    if not page.endswith("/README.md") or not re.search(r"^#.*reading order", text, re.M | re.I):
        return
    top = page.rpartition("/")[0] + "/"
    others = tuple(name.rpartition("/")[0] + "/" for name in files
                   if name.startswith(top) and name != page and name.endswith(("/README.md", "/CMakeLists.txt")))
    for name in files:
        stem = pathlib.PurePath(name).stem
        if (name.startswith(top) and name.endswith(".h") and not name.startswith(tuple(set(others) - {top}))
                and "test" not in stem and not re.search(rf"\b{stem}\b", text)):
            yield f"{page}: its reading order lacks {name}"


def bad_comment_words(words, name, text):
    for comment in COMMENT.findall(text):
        for word in IN_COMMENT.findall("".join(comment)):
            if not words.knows_parts(word):
                yield f"{name}: a comment names {word}, which stands in no source"


def bad_drawings(names, page, text):
    for word in DRAWN.findall("\n".join(FENCE.findall(text))):
        if word not in names.ends and not word.startswith(EXAMPLES):
            yield f"{page}: a drawing names {word}, which does not exist"


def bad_mentions(root, name, text):
    for page in PAGE.findall(text):
        numbered = re.fullmatch(r"docs/decisions/\d{4}", page) and list(root.glob(page + "-*.md"))
        if not numbered and not (root / page).exists() and not (root / f"{page}.md").exists():
            yield f"{name}: {page} does not exist"


def bad_comments(names, name, text):
    for comment in COMMENT.findall(text):
        for word in MENTIONED.findall("".join(comment)):
            if word not in names.ends and not word.startswith(EXAMPLES) and not PLACEHOLDER.match(word):
                yield f"{name}: a comment names {word}, which does not exist"


def main(root):
    root = pathlib.Path(root)
    files, folders = tree(root)
    names = Names(files, folders)
    words = Words(root, files)
    commands = set(COMMAND.findall((root / "dev").read_text()))
    errors = [*old_days(root), *unmapped_folders(root, folders)]
    linked = set()
    for name in files:
        if name.endswith(".md"):
            text = (root / name).read_text()
            errors += bad_links(root, name, text)
            linked |= linked_pages(name, text)
            if not name.startswith(HISTORY):
                errors += bad_names(names, name, text)
                errors += bad_words(words, name, text)
                errors += bad_drawings(names, name, text)
                errors += unlisted_headers(files, name, text)
                errors += bad_commands(commands, name, text)
            if not name.startswith(HISTORY) or name.endswith("README.md"):
                errors += bad_benchmarks(names, name, text)
        elif name.endswith(SOURCES) or name in ("dev", ".ci/run"):
            if name == OWN_TEST:
                continue
            text = (root / name).read_text()
            errors += bad_mentions(root, name, text)
            if name.endswith(C_FILES):
                errors += bad_comments(names, name, text)
                errors += bad_comment_words(words, name, text)
    errors += [f"{name}: no page links it" for name in files
               if name.startswith("docs/") and name.endswith(".md") and name not in linked]
    return "\n".join(errors) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
