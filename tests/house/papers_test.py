"""docs/papers.md leads to what is there: each experiment of `./dev papers` has a row, and each command of a row means something.

    papers_test.py CTEST BUILD    the tests that rows name are those of the build
"""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = ROOT / "bench/papers/papers.py"
CTEST, BUILD = sys.argv[1:3]
sys.path.insert(0, str(ROOT / "bench/compare"))
sys.path.insert(0, str(ROOT / "bench/threads"))
import plan  # noqa: E402
import runs  # noqa: E402

COMMAND = re.compile(r"`\./dev ([^`]*)`")
FILE = re.compile(r"\]\(")  # documents_test looks whether it is there


def table_rows():
    """The cells of each row: what it is, files, commands, the paper's figure, ours, why. Without heads."""
    lines = (ROOT / "docs/papers.md").read_text().splitlines()
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if line.startswith("|")]
    return [cells for cells in rows if cells[2] not in ("command", "---")]


def commands(start):
    return sorted({words.removeprefix(start) for cells in table_rows() for words in COMMAND.findall(cells[2]) if words.startswith(start)})


def run(*words):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True)


class Papers(unittest.TestCase):
    def dry(self, *names):
        done = run(sys.executable, PAPERS, "--dry-run", *names)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_each_experiment_that_a_row_names_can_be_run(self):
        named = commands("papers ")
        self.assertTrue(named)
        for words in named:
            self.assertGreater(self.dry(*words.split()).count("\n"), 1, words)

    def test_each_experiment_has_a_row(self):
        there = set(re.findall(r"^# ([\w/-]+):", self.dry(), re.M))
        self.assertEqual(there - {name for words in commands("papers ") for name in words.split()}, set())

    def test_a_quick_look_is_another_plan_of_the_same_experiments(self):
        whole, quick = self.dry(), self.dry("--quick")
        heads = re.compile(r"^# ([\w/-]+):", re.M)
        self.assertEqual(heads.findall(whole), heads.findall(quick))
        self.assertLess(len(quick), len(whole))

    def test_an_experiment_that_does_not_exist_is_refused_in_a_sentence(self):
        done = run(sys.executable, PAPERS, "--dry-run", "suite/none")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"there is no experiment 'suite/none'; there are .*suite/overhead")

    def test_each_test_that_a_row_names_is_there(self):
        there = re.findall(r"^ *Test +#\d+: (\S+)", run(CTEST, "--test-dir", BUILD, "-N").stdout, re.M)
        self.assertTrue(there)
        for words in commands("test -R "):
            self.assertTrue(any(re.search(words.strip(), name) for name in there), words)

    def test_each_question_of_dev_bench_is_one(self):
        for words in commands("bench "):
            first, *rest = words.split()
            if first == "threads":
                self.assertEqual(rest[0], "--benches", words)
                self.assertLessEqual({*rest[1].split(",")}, {*runs.BENCHES}, words)
            else:
                self.assertLessEqual({first, *rest}, {*plan.WHATS}, words)

    def test_each_row_leads_to_a_file_and_a_command_or_says_why_not(self):
        for cells in table_rows():
            self.assertEqual(len(cells), 6, cells)
            what, files, run_by, _, _, why = cells
            if not files and not run_by:
                self.assertIn("not there yet", why, what)
                continue
            self.assertTrue(FILE.search(files) or files.startswith("the same"), what)
            self.assertEqual(COMMAND.sub("", run_by).strip(" ,"), "", f"{what}: a command that ./dev does not have")
            self.assertTrue({words.split()[0] for words in COMMAND.findall(run_by)} <= {"papers", "test", "bench"} and run_by, what)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
