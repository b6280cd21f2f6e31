"""tools/check_layers.py finds what it says it finds, in small trees of modules."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_layers.py"


class Layers(unittest.TestCase):
    def said(self, files, knots="", uses="", test_uses="", low_uses=""):
        """What it says of a module `top`, beside a module `low` of one header and one room."""
        tree = {"low/CMakeLists.txt": f"heddle_module(low\n  FILES a.h\n  USES {low_uses}\n)",
                "low/a.h": [], "low/room/b.h": [],
                "top/CMakeLists.txt": f"{knots}\nheddle_module(top\n  FILES x.h\n  USES {uses}\n  TESTS x_test.cpp\n"
                                      f"  TEST_USES {test_uses}\n)"} | files
        with tempfile.TemporaryDirectory() as folder:
            for path, text in tree.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text if isinstance(text, str) else "".join(f'#include "{i}"\n' for i in text))
            run = subprocess.run([sys.executable, TOOL, folder], text=True, capture_output=True)
        self.assertEqual(run.returncode, 1 if run.stderr else 0)
        return run.stderr

    def test_a_module_may_use_what_its_line_names(self):
        self.assertEqual(self.said({"top/x.h": ["low/a.h"]}, uses="low"), "")
        self.assertIn("top may not use low", self.said({"top/x.h": ["low/a.h"]}))
        self.assertIn("low may not use top", self.said({"low/a.h": ["top/x.h"], "top/x.h": []}, uses="low"))

    def test_modules_do_not_use_each_other_in_a_circle(self):
        self.assertIn("USES has a cycle: ", self.said({"top/x.h": []}, uses="low", low_uses="top"))

    def test_only_tests_may_use_what_their_line_names(self):
        self.assertEqual(self.said({"top/x.h": [], "top/x_test.cpp": ["low/a.h"]}, test_uses="low"), "")
        self.assertIn("top may not use low", self.said({"top/x.h": ["low/a.h"]}, test_uses="low"))
        self.assertIn("top may not use low", self.said({"top/x.h": [], "top/x_test.cpp": ["low/a.h"]}))

    def test_a_file_belongs_to_the_innermost_module(self):
        inner = {"low/inner/CMakeLists.txt": "heddle_module(inner\n  FILES c.h\n  USES\n)", "low/inner/c.h": []}
        self.assertEqual(self.said({"top/x.h": ["low/inner/c.h"], **inner}, uses="inner"), "")
        self.assertIn("top may not use inner", self.said({"top/x.h": ["low/inner/c.h"], **inner}, uses="low"))

    def test_a_file_belongs_to_a_module(self):
        self.assertIn("is in no heddle_module()", self.said({"top/x.h": [], "topping/y.h": []}))

    def test_rooms_are_private(self):
        self.assertIn("private to low", self.said({"top/x.h": ["low/room/b.h"]}, uses="low"))

    def test_a_header_and_its_source_are_one(self):
        self.assertEqual(self.said({"top/x.h": [], "top/x.cpp": ["top/x.h"]}), "")
        self.assertEqual(self.said({"top/x.h": [], "top/x_idle.cpp": ["top/x.h"]}), "")

    def test_headers_that_include_each_other_are_a_knot(self):
        said = self.said({"top/x.h": ["top/y.h"], "top/y.h": ["top/z.h"], "top/z.h": ["top/x.h"], "top/u.h": ["top/x.h"]})
        self.assertIn("a knot of 3 files: x y z", said)
        self.assertIn("z -> x   top/z.h:1", said)
        self.assertNotIn("u ->", said)

    def test_so_are_sources_that_include_each_others_headers(self):
        files = {"top/x.h": [], "top/y.h": [], "top/x.cpp": ["top/y.h"], "top/y.cpp": ["top/x.h"]}
        self.assertIn("a knot of 2 files: x y", self.said(files))
        part = {"top/x.h": [], "top/y.h": [], "top/x_idle.cpp": ["top/y.h"], "top/y.cpp": ["top/x.h"]}
        self.assertIn("a knot of 2 files: x y", self.said(part))

    def test_a_source_in_a_room_belongs_to_the_module_s_header(self):
        files = {"top/x.h": [], "top/up/x.cpp": ["top/low/y.h"], "top/low/y.h": ["top/x.h"]}
        self.assertIn("a knot of 2 files: low/y x", self.said(files))

    def test_tests_are_in_no_knot(self):
        self.assertEqual(self.said({"top/x.h": ["top/y.h"], "top/y.h": [], "top/y_test.cpp": ["top/x.h"]}), "")

    def test_rooms_that_include_each_other_are_a_knot(self):
        files = {"top/one/a.h": [], "top/one/b.h": ["top/two/c.h"], "top/two/c.h": ["top/one/a.h"]}
        self.assertIn("a knot of 2 rooms: one/ two/", self.said(files))

    def test_a_knot_is_allowed_as_long_as_it_is_that_knot(self):
        knot = {"top/x.h": ["top/y.h"], "top/y.h": ["top/x.h"]}
        self.assertEqual(self.said(knot, knots="# KNOT x y"), "")
        self.assertIn("a knot of 2 files", self.said(knot, knots="# KNOT x y z"))
        self.assertIn("no longer, a knot: x y z", self.said(knot, knots="# KNOT x y z"))
        self.assertIn("no longer, a knot: x y", self.said({"top/x.h": []}, knots="# KNOT x y"))
        two = {**knot, "top/u.h": ["top/v.h"], "top/v.h": ["top/u.h"]}
        self.assertEqual(self.said(two, knots="# KNOT x y\n# KNOT u v"), "")
        self.assertIn("a knot of 2 files: u v", self.said(two, knots="# KNOT x y"))
        rooms = {"top/x.h": [], "top/y.h": ["top/room/z.h"], "top/room/z.h": ["top/x.h"]}
        self.assertEqual(self.said(rooms, knots="# KNOT ./ room/"), "")


unittest.main()
