"""README's list of what is not there yet says what docs/reference/coverage.md says."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What README calls it, and the missing functions that it stands for.
SUBJECTS = {"one-sided communication": r"rma/|MPI_Win_", "files": r"io/|MPI_File_", "dynamic processes": "dynamic/",
            "buffers of sessions": r"MPI_Session_\w*_buffer", "partitioned communication": "partitioned/"}
# The standard's table has no functions for it.
BESIDE = {"Fortran's array sections"}


def missing():
    """chapter/function, for each that coverage.md calls missing."""
    chapter = None
    for line in (ROOT / "docs/reference/coverage.md").read_text().splitlines():
        if line.startswith("## "):
            chapter = line[3:]
        elif line.startswith("Missing: "):
            yield from (f"{chapter}/{name}" for name in re.findall(r"`(\w+)`", line))


def promised():
    """The items of README's list."""
    text = re.search(r"^- Not there yet: (.*?)\. A function", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    return {" ".join(item.split()) for item in text.split(",")}


def stands_for(item, function):
    if item.startswith("`"):
        return function.endswith("/" + item.strip("`"))
    return item in SUBJECTS and bool(re.search(SUBJECTS[item], function))


class Missing(unittest.TestCase):
    def test_each_missing_function_belongs_to_an_item(self):
        self.assertEqual([f for f in missing() if not any(stands_for(item, f) for item in promised())], [])

    def test_each_item_is_missing(self):
        self.assertEqual([item for item in promised() - BESIDE if not any(stands_for(item, f) for f in missing())], [])


unittest.main()
