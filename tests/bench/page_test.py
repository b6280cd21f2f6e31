"""The page: its tables, its figures, and that it can do without matplotlib."""
import re
import unittest

from suite import MACHINE, Case, line

SIZES = [{"mode": "threads", "pairs": 4, "comms": "shared", "buffers": "cached", "size": size} for size in (8, 4096)]
FAILED = {"failed": "gave up after 3 s", "bench": "latency", "label": "Two", "name": "Two", "said": "<no> route",
          "options": "--mode threads --pairs 4 --sizes 8,4096"}
SETUP = {"setup": "One", "name": "One", "variant": "", "says": "One Version: 1.0", "rank_is": "thread",
         "bin": "/one/bin", "environment": {"A": "1"}, "crowded": {"B": "2"}, "command": "/one/bin/mpiexec -n RANKS"}


class Page(Case):
    def page(self, *lines, **environment):
        result = self.script("report.py", self.results(MACHINE, *lines), **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.said = result.stderr
        return (self.folder / "results/index.html").read_text()

    def test_it_has_contents_that_lead_to_each_section(self):
        text = self.page(SETUP, *(line(1, parameters=size) for size in SIZES), FAILED)
        links = re.findall(r'<li><a href="#(\w+)"', text)
        self.assertEqual(links, re.findall(r'<h2 id="(\w+)"', text))
        self.assertEqual(links, ["which", "all", "libraries", "machine", "failed", "latency"])

    def test_it_says_what_each_library_is(self):
        text = self.page(SETUP, line(1))
        for words in ("a thread; the ranks of a node share one process", "A=1 and with more threads than cores: B=2",
                      "/one/bin/mpiexec -n RANKS", "One Version: 1.0"):
            self.assertIn(words, text)

    def test_what_failed_stands_in_the_tables_and_in_the_figure(self):
        text = self.page(*(line(1, parameters=size) for size in SIZES), FAILED)
        self.assertIn("gave up after 3 s", text)
        self.assertIn("<td>no other was measured; failed: Two</td>", text)
        self.assertIn("&lt;no&gt; route", text)
        self.assertIn(">failed<", text)
        drawn = (self.folder / "results/latency.svg").read_text()
        whole = self.page(*(line(1, label, parameters=size) for size in SIZES for label in ("One", "Two")))
        self.assertNotIn(">failed<", whole)
        self.assertIn("<!-- failed -->", drawn)
        self.assertNotIn("<!-- failed -->", (self.folder / "results/latency.svg").read_text())

    def test_a_busy_machine_is_a_warning(self):
        self.assertIn("Choose nothing by them", self.page(line(1, others=0.5)))
        self.assertNotIn("Choose nothing by them", self.page(line(1, others=0.01)))

    def test_all_figures_have_one_width(self):
        lines = [line(1, parameters=size) for size in SIZES]
        lines += [line(5, bench="message_rate", quantity="message rate", better="more",
                       parameters={**SIZES[0], "receivers": 4}),
                  line(5, bench="overlap", quantity="both", parameters={"helper": "none", "size": 262144})]
        self.page(*lines)
        widths = {re.search(r'<svg [^>]*width="([^"]*)"', path.read_text())[1]
                  for path in (self.folder / "results").glob("*.svg")}
        self.assertEqual((len(list((self.folder / "results").glob("*.svg"))), len(widths)), (3, 1))

    def test_without_matplotlib_it_has_its_tables(self):
        text = self.page(line(1), **self.hide_matplotlib())
        self.assertIn("half round trip of 8 bytes", text)
        self.assertNotIn("<img", text)
        self.assertRegex(self.said, r"\Areport.py: the page has no figures: they need matplotlib [^\n]*\n\Z")

    def test_measuring_needs_no_matplotlib(self):
        result = self.measure("--mpi", f"MPICH={self.library()}")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("the page has no figures", result.stdout)


if __name__ == "__main__":
    unittest.main()
