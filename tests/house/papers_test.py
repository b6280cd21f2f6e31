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
import plan  # noqa: E402


def table_rows():
    """Lines of tables with a command, without their heads."""
    return [line for line in (ROOT / "docs/papers.md").read_text().splitlines() if line.startswith("|") and "`./dev" in line]


def commands(start):
    return sorted({command for row in table_rows() for command in re.findall(rf"`\./dev {start}([^`]*)`", row)})


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
            if words.split()[0] not in ("threads", "policies"):
                self.assertIn(words.split()[0], plan.WHATS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
