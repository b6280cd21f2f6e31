"""No script has the name of a module of Python: in its folder the module could not be imported, and the script would run instead.

So launch/bench_threads once ran launch/statistics, and nothing else.
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ScriptNames(unittest.TestCase):
    def test_no_script_hides_a_module_of_python(self):
        scripts = [path for folder in ("bench", "bindings", "models", "tests", "tools") for path in (ROOT / folder).rglob("*.py")]
        self.assertTrue(scripts)
        self.assertEqual([str(path) for path in scripts if path.stem in sys.stdlib_module_names], [])


if __name__ == "__main__":
    unittest.main()
