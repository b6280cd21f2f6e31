"""The library makes its own kernel threads in one place, with attributes of their own (src/base/platform/own_thread.h).

    own_threads.py ROOT
"""
import pathlib
import re
import sys

MAKES = re.compile(r"\bpthread_create\s*\(|\bthrd_create\s*\(|\bstd::(jthread|async)\b|\bstd::thread\b(?!::id)")
MAY = {
    "src/base/platform/own_thread.cpp": "the place",
    "src/exec/ult/switch/orphan.cpp": "it leaves its TLS block to a ult and ends",
    "src/exec/process/threads/exports/thread_exports.cpp": "pthread_create of the program",
    "src/exec/process/threads/kernel_thread.cpp": "the same, by libc",
    "src/exec/process/threads/exports/c11_exports.cpp": "thrd_create of the program",
    # of tests alone
    "src/exec/ult/another_process.h": "a test",
    "src/exec/ult/test_support.h": "a test",
}


def lines_that_make_threads(text):
    for number, line in enumerate(text.splitlines(), 1):
        if MAKES.search(line.split("//")[0]):
            yield number


def check(root):
    wrong, used = [], set()
    for folder in ("src", "launch"):
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix not in (".h", ".cpp", ".c") or path.stem.endswith("_test"):
                continue
            for number in lines_that_make_threads(path.read_text()):
                used.add(name)
                if name not in MAY:
                    wrong.append(f"{name}:{number}: makes a thread; use platform::start_own_thread")
    return wrong + [f"{name} makes no thread; take it off this test's list" for name in MAY.keys() - used]


def main():
    assert list(lines_that_make_threads("a\n  std::thread x([]{});\n// pthread_create(\npthread_create (&t")) == [2, 4]
    wrong = check(pathlib.Path(sys.argv[1]))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
