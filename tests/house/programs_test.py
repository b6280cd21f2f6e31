"""What ./dev test builds for some tests, and what ./dev tidy reads. Argument: a build folder."""
import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import programs_of_tests  # noqa: E402
import tidy  # noqa: E402

BUILD = sys.argv.pop(1)


class Programs(unittest.TestCase):
    def built_for(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            programs_of_tests.main(BUILD, *arguments)
        return said.getvalue().split()

    def test_a_test_that_is_a_program_needs_that(self):
        self.assertEqual(self.built_for("-R", "^base/(error|fork)_test$"), ["src/base/error_test", "src/base/fork_test"])

    def test_variants_need_the_same_program(self):
        self.assertEqual(self.built_for("-R", "^mpi/coll_test/hosts_"), ["tests/coll/coll_test"])

    def test_a_test_of_mpiexec_needs_all(self):
        self.assertEqual(self.built_for("-R", "^(launch/limits|base/error_test)$"), ["all"])

    def test_a_rule_of_the_house_needs_nothing(self):
        self.assertEqual(self.built_for("-R", "^house/sizes$"), [])


class Tidy(unittest.TestCase):
    """Two sources that CMake's file reads together; the second lacks an #include that the first has. A third is by itself."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.first, self.second, self.third = (self.write(f"src/{name}.cpp", text) for name, text in (
            ("first", "#include <string>\nstd::string first() { return {}; }\n"), ("second", "std::string second() { return {}; }\n"),
            ("third", "int third;\n")))
        self.together = self.write("build/unity_0_cxx.cxx", f'#include "{self.first}"\n\n#include "{self.second}"\n')
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.folder), "file": str(path), "command": f"/usr/bin/ccache g++ -std=c++20 -o x.o -c {path}"}
            for path in (self.together, self.third)]))
        root = mock.patch.object(tidy, "ROOT", self.folder)
        root.start()
        self.addCleanup(root.stop)
        self.commands, self.folders = tidy.all_commands(self.folder / "build")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def test_each_source_is_read_once(self):
        self.assertEqual(tidy.chosen_of_all(self.commands, self.folders), ([self.together, self.third], [self.first, self.second]))

    def test_sources_that_clang_cannot_read_take_none_along(self):
        with mock.patch.object(tidy, "UNREADABLE", ("src/second.cpp",)):
            self.assertEqual(tidy.chosen_of_all(self.commands, self.folders), ([self.first, self.third], []))

    def test_a_missing_include_is_found(self):
        self.assertEqual([tidy.compile_alone(self.commands[path]).returncode for path in (self.together, self.first)], [0, 0])
        self.assertIn("error", tidy.compile_alone(self.commands[self.second]).stderr)


if __name__ == "__main__":
    unittest.main()
