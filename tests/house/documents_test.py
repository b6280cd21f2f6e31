"""tools/check_documents.py finds links and names that lead nowhere, and lets the others be."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_documents.py"
FILES = {"START.md": "[a](docs/page.md) [b](docs/decisions/0001-first.md) [c](docs/other.md)", "README.md": "",
         "docs/other.md": "", "docs/page.md": "# A page\n\n## The `second` part\n", "src/mpi/p2p/send.cpp": "",
         "docs/decisions/0001-first.md": "", "bench/rate.c": ""}


class Documents(unittest.TestCase):
    def said(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {**FILES, name: text}.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            run = subprocess.run([sys.executable, TOOL, folder], text=True, capture_output=True)
        self.assertEqual(run.returncode, 1 if run.stderr else 0, run.stderr)
        return run.stderr

    def test_what_exists_is_no_word(self):
        self.assertEqual(self.said("README.md", "[a](docs/page.md#the-second-part) [b](src) [c](https://x.org/y)\n"
                                                "`src/mpi/p2p/send.cpp` `mpi/p2p/` `send.cpp` `bench/rate` `n/2`\n"
                                                "```\n[d](nowhere.md) `src/none.h`\n```\n"), "")

    def test_a_link_leads_somewhere(self):
        self.assertIn("docs/none.md leads nowhere", self.said("README.md", "[a](docs/none.md)"))
        self.assertIn("leads nowhere", self.said("docs/other.md", "[a](docs/page.md)"))
        self.assertIn("names no heading", self.said("README.md", "[a](docs/page.md#third)"))

    def test_a_path_in_backticks_exists(self):
        for path in ("src/mpi/coll", "none.cpp", "mpi/p2p/receive.cpp", "../src/none.h"):
            self.assertIn(f"`{path}` does not exist", self.said("docs/other.md", f"see `{path}`"))

    def test_history_may_name_what_is_gone(self):
        self.assertEqual(self.said("docs/decisions/0002-second.md", "`src/gone.h` [1](0002-second.md)"),
                         "docs/decisions/0002-second.md: no page links it\n")

    def test_comments_name_pages_that_exist(self):
        self.assertEqual(self.said("src/a.h", "// docs/page.md, docs/decisions/0001, docs/decisions/."), "")
        self.assertIn("docs/none.md does not exist", self.said("src/a.h", "// docs/none.md"))


unittest.main()
