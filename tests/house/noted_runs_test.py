"""tools/acceptance/noted_runs.py: which runs of a suite it takes for right; imb_io.py: what it reads from an output."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/acceptance"))

import imb_io
from noted_runs import NotedRuns


class Judges(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="heddle_noted_")
        self.mpiexec = pathlib.Path(self.folder.name, "mpiexec")
        # The stand-in for mpiexec runs what comes behind -n N.
        self.noted = NotedRuns(self.mpiexec, pathlib.Path(self.folder.name, "runs"), ["env", "--"], 2, "fail with")

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *command):
        return subprocess.run([self.mpiexec, *command], capture_output=True, text=True)

    def test_a_run_is_right_if_its_status_is_0_and_it_prints_no_failure(self):
        said = self.start("echo", "pass")
        self.assertEqual((said.returncode, said.stdout), (0, "pass\n"))
        self.assertEqual(self.noted.complaints(1, {}), [])

    def test_failures_are_told_and_the_script_goes_on(self):
        for command in (["false"], ["echo", "Fail with 1 mismatches"], ["sleep", "10"]):
            self.assertEqual(self.start(*command).returncode, 0)
        self.assertEqual([run.ended for run in self.noted.runs()], ["1", "Fail with 1 mismatches", "124"])
        self.assertEqual(len(self.noted.complaints(3, {})), 3)

    def test_runs_that_are_listed_may_fail(self):
        self.start("false")
        self.assertEqual(self.noted.complaints(1, {"^false$": "it is false"}), [])

    def test_runs_that_are_missing_are_told(self):
        self.assertEqual(len(self.noted.complaints(1, {})), 1)

    def test_all_kinds_of_accesses_must_be_told_without_defects(self):
        table = "# Benchmarking kind{}\n#    #bytes #repetitions  t_min[usec]      defects\n       16           2         0.08      {}\n"
        right = "".join(table.format(kind, "0.00") for kind in range(imb_io.KINDS))
        self.assertEqual(imb_io.wrong_in(right), "")
        self.assertNotEqual(imb_io.wrong_in(right.replace("kind3\n", "kind2\n")), "")
        self.assertNotEqual(imb_io.wrong_in(right + table.format(0, "1.00")), "")


if __name__ == "__main__":
    unittest.main()
