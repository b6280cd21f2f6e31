"""tools/near_limits.py names the tests that took more than a third of their limits, and no others."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/near_limits.py"
TIMES = {"quick": 9, "near": 60, "nearer": 100, "unlimited": 5000}
LIMITS = {"quick": 30, "near": 90, "nearer": 120}


class NearLimits(unittest.TestCase):
    def said(self, results):
        with tempfile.TemporaryDirectory() as folder:
            tests = [{"name": name, "properties": [{"name": "LABELS", "value": ["house"]}]} for name in TIMES]
            for test in tests:
                if test["name"] in LIMITS:
                    test["properties"].append({"name": "TIMEOUT", "value": LIMITS[test["name"]]})
            pathlib.Path(folder, "tests.json").write_text(json.dumps({"tests": tests}))
            if results is not None:
                pathlib.Path(folder, "results.xml").write_text(results)
            run = subprocess.run([sys.executable, TOOL, "results.xml", "tests.json"], cwd=folder, text=True,
                                 capture_output=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_the_nearest_comes_first(self):
        cases = "".join(f'<testcase name="{name}" time="{time}"/>' for name, time in TIMES.items())
        lines = self.said(f"<testsuite>{cases}</testsuite>").strip().splitlines()
        self.assertEqual([line.split(":")[0].strip() for line in lines[1:]], ["nearer", "near"])
        self.assertIn("100 of 120 seconds", lines[1])

    def test_nothing_near_is_no_word(self):
        self.assertEqual(self.said('<testsuite><testcase name="quick" time="9"/></testsuite>'), "")

    def test_results_may_be_missing_or_broken(self):
        self.assertEqual(self.said(None), "")
        self.assertIn("not known", self.said("<testsuite"))


unittest.main()
