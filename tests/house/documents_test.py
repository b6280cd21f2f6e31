"""tools/check_documents.py finds links and names that lead nowhere, and lets the others be."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_documents.py"
FILES = {"START.md": "[a](docs/page.md) [b](docs/decisions/0001-first.md) [c](docs/other.md) [d](docs/far-away.md)", "README.md": "",
         "docs/other.md": "", "docs/far-away.md": "", "docs/page.md": "# A page\n\n## The `second` part\n", "src/mpi/p2p/send.cpp": "",
         "docs/decisions/0001-first.md": "", "bench/rate.c": "",
         "dev": "cat <<'TEXT'\n./dev test [PRESET]  runs every test\n./dev bench [WHAT...]  measures\nTEXT\n"}


class Documents(unittest.TestCase):
    def said(self, name, text, files=FILES):
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {**files, name: text}.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            run = subprocess.run([sys.executable, TOOL, folder], text=True, capture_output=True)
        self.assertEqual(run.returncode, 1 if run.stderr else 0, run.stderr)
        return run.stderr

    def test_what_exists_is_no_word(self):
        self.assertEqual(self.said("README.md", "[a](docs/page.md#the-second-part) [b](src) [c](https://x.org/y)\n"
                                                "`src/mpi/p2p/send.cpp` `mpi/p2p/` `send.cpp` `bench/rate` `n/2`\n"
                                                "```\n[d](nowhere.md) `src/none.c`\n```\n"), "")

    def test_a_link_leads_somewhere(self):
        self.assertIn("docs/none.md leads nowhere", self.said("README.md", "[a](docs/none.md)"))
        self.assertIn("leads nowhere", self.said("docs/other.md", "[a](docs/page.md)"))
        self.assertIn("names no heading", self.said("README.md", "[a](docs/page.md#third)"))

    def test_so_does_a_link_within_its_page(self):
        self.assertEqual(self.said("README.md", "# Top\n[a](#top)"), "")
        self.assertIn("#second names no heading", self.said("README.md", "# Top\n[a](#second)"))

    def test_what_stands_between_fences_is_no_text(self):
        self.assertIn("#shell names no heading", self.said("README.md", "```\n# Shell\n```\n[a](#shell)"))
        self.assertIn("docs/new.md: no page links it", self.said("docs/new.md", "```\n[me](new.md)\n```"))
        fenced = self.said("START.md", FILES["START.md"].replace("[c](docs/other.md)", "\n```\n[c](docs/other.md)\n```\n"))
        self.assertEqual(fenced, "docs/other.md: no page links it\n")

    def test_a_page_that_links_itself_is_not_linked(self):
        self.assertEqual(self.said("docs/new.md", "[me](new.md)"), "docs/new.md: no page links it\n")

    def test_what_others_write_is_not_looked_at(self):
        for folder in (".git", "build", "results", "src/__pycache__"):
            self.assertEqual(self.said(f"{folder}/page.md", "[a](none.md) `src/none.h`"), "")
        self.assertIn("`out/page.md` does not exist", self.said("README.md", "`out/page.md`"))
        self.assertEqual(self.said("README.md", "`build/page.md` `results/page.md`"), "")

    def test_a_path_in_backticks_exists(self):
        for path in ("src/mpi/coll", "mpi/none/", "none.cpp", "mpi/p2p/receive.cpp", "../src/none.h", "../p2p/send.cpp", "end.cpp"):
            self.assertIn(f"`{path}` does not exist", self.said("docs/other.md", f"see `{path}`"))
        for path in ("../src/mpi/p2p/send.cpp", "../src/mpi", "../src/mpi/p2p/", "decisions/0001-first.md",
                     "./bench/rate.c", "x.h", "x_test.cpp", "docs/decisions/NNNN-what.md", "a.b/c"):
            self.assertEqual(self.said("docs/other.md", f"see `{path}`"), "")

    def test_a_file_of_a_drawing_exists(self):
        self.assertEqual(self.said("README.md", "```\nMPI_Send ──► mpi/p2p/send.cpp\nmpicc hello.c\n```"), "")
        self.assertIn("a drawing names p2p/gone.cpp", self.said("README.md", "```\nMPI_Send ──► p2p/gone.cpp\n```"))

    def test_a_name_of_code_stands_in_a_source(self):
        there = "namespace heddle::p2p {\nclass Port { void send_small(); };\n}\n#define HELP \"HEDDLE_LIMIT --workers\"\n"
        for name in ("Port::send_small", "p2p::Port", "send_small()", "--workers 2", "std::atomic::wait", "PATH", "a"):
            with_source = {**FILES, "src/port.h": there}
            self.assertEqual(self.said("README.md", f"`{name}`, HEDDLE_LIMIT", with_source), "")
        for name in ("Port::send_slow_one", "port::send_small", "send_large", "sendLarge", "--worker", "HEDDLE_LIMITS"):
            self.assertIn("stands in no source", self.said("README.md", f"`{name}`", {**FILES, "src/port.h": there}))
        self.assertIn("only_said(), which stands in no source", self.said("src/port.h", there + "// only_said()\n"))
        self.assertIn("a comment names Port::gone", self.said("src/a.h", "/* Port::gone(), Port::send_small, std::gone */", {**FILES, "src/port.h": there}))
        self.assertIn("gone::run_main stands in no source", self.said("README.md", "```\n  gone::run_main  the frame\n```"))

    def test_a_reading_order_is_whole(self):
        there = {**FILES, "src/a/one.h": "", "src/a/room/two.h": "", "src/a/room/two_test_support.h": "", "src/a/exports/three.h": "",
                 "src/a/exports/CMakeLists.txt": "", "src/b/four.h": ""}
        order = "# a\n## Reading order\n| one.h | room/two.h |\n"
        self.assertEqual(self.said("src/a/README.md", order, there), "")
        self.assertEqual(self.said("src/a/README.md", "# a, without an order\n", there), "")
        self.assertEqual(self.said("src/a/README.md", order.replace("room/two.h", ""), there),
                         "src/a/README.md: its reading order lacks src/a/room/two.h\n")

    def test_the_map_names_each_folder(self):
        there = {**FILES, "src/mpi/coll/bcast.cpp": "", "src/net/door/door.cpp": ""}
        self.assertEqual(self.said("ARCHITECTURE.md", "`src/mpi/{p2p,coll}/` `src/net/door/`", there), "")
        self.assertEqual(self.said("ARCHITECTURE.md", "`src/mpi/p2p/`, a coll, `src/net/door/`", there),
                         "ARCHITECTURE.md: it does not name src/mpi/coll\n")

    def test_the_list_of_notes_has_the_last_day_of_each(self):
        there = {**FILES, "START.md": FILES["START.md"] + "[n](docs/bench-notes/README.md)", "docs/bench-notes/a.md": "2026-01-02\n2026-01-03\n"}
        row = "| [a](a.md) | 2026-01-02{} | why |\n"
        self.assertEqual(self.said("docs/bench-notes/README.md", row.format(" to 2026-01-03"), there), "")
        self.assertIn("the last day of a.md is 2026-01-03", self.said("docs/bench-notes/README.md", row.format(""), there))

    def test_history_may_name_what_is_gone(self):
        self.assertEqual(self.said("docs/decisions/0002-second.md", "`src/gone.h` [1](0002-second.md)"),
                         "docs/decisions/0002-second.md: no page links it\n")

    def test_comments_name_pages_that_exist(self):
        self.assertEqual(self.said("src/a.h", "// docs/page.md, docs/page, docs/decisions/0001, docs/decisions/."), "")
        for page in ("docs/none.md", "docs/pag", "docs/far", "docs/decisions/000", "docs/decisions/0001-f", "docs/decisions/0002"):
            self.assertIn(f"{page} does not exist", self.said("src/a.h", f"// {page}"))
        for script in ("dev", ".ci/run", "tools/a.py"):
            self.assertIn("docs/none does not exist", self.said(script, "# docs/none"))

    def test_a_benchmark_that_a_page_starts_has_a_source(self):
        self.assertEqual(self.said("README.md", "```\nbuild/release/bench/rate --seconds 1\n```\n"), "")
        self.assertIn("there is no bench/none/rate", self.said("README.md", "```\nbuild/release/bench/none/rate\n```\n"))

    def test_a_command_of_dev_is_one_that_it_lists(self):
        self.assertEqual(self.said("README.md", "`./dev test -R x`, `./dev bench`; `./dev`\n```\n./dev bench latency\n./dev\n```\n"), "")
        for text in ("`./dev papers`", "```\n./dev papers --quick\n```", "| a | `./dev papers x` |"):
            self.assertEqual(self.said("README.md", text), "README.md: ./dev help lists no ./dev papers\n")
        self.assertNotIn("papers", self.said("docs/decisions/0002-second.md", "`./dev papers`"))

    def test_comments_name_files_that_exist(self):
        self.assertEqual(self.said("src/a.h", "// send.cpp, p2p/send.cpp, decisions/0001-first.md\n#include <none.h>\n/* x_test.cpp\n old.c */"), "")
        for text in ("// see none.h", "/* a\n p2p/none.cpp */", "int a;  // none.md: why"):
            self.assertIn("which does not exist", self.said("src/a.h", text))


unittest.main()
