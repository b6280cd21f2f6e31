"""Result files, whole and broken."""
import unittest

from suite import MACHINE, Case, line

import load
import results


class Reading(Case):
    def test_a_point_is_the_median_of_its_rounds_with_their_range(self):
        path = self.results(line(3, reach=(2, 9)), line(5), line(4), line(7, "Two"))
        point = results.Results([path]).find("latency", "half round trip", "One")
        self.assertEqual((point.value, point.range, point.steady), (4, (3, 5), True))

    def test_one_round_has_the_quartiles_of_its_samples(self):
        point = results.Results([self.results(line(3, reach=(2, 9)))]).find("latency", "half round trip", "One")
        self.assertEqual((point.value, point.range), (3, (2, 9)))

    def test_rounds_of_several_files_count_together(self):
        paths = [self.results(line(1), name="a.jsonl"), self.results(line(3), name="b.jsonl")]
        self.assertEqual(results.Results(paths).find("latency", "half round trip", "One").range, (1, 3))

    def test_a_cut_file_loses_its_last_line_only(self):
        for cut in (2, 40, 200):
            found = results.Results([self.results(line(1), line(3), line(100), cut=cut)])
            self.assertEqual(found.find("latency", "half round trip", "One").range, (1, 3), cut)

    def test_a_file_without_its_last_end_of_line_is_whole(self):
        found = results.Results([self.results(line(1), line(3), cut=1)])
        self.assertEqual(found.find("latency", "half round trip", "One").range, (1, 3))

    def test_what_else_is_wrong_with_a_file_is_one_sentence(self):
        no_number = {**line(1), "median": None}
        lacking = {key: value for key, value in line(1).items() if key != "unit"}
        for path, said in ((self.results(line(1), [1], name="a"), "a: line 2 is no result"),
                           (self.results(no_number, line(1), name="b"), "b: line 1 has no number as median"),
                           (self.results(line(1), lacking, name="c"), "c: line 2 lacks unit"),
                           (self.results(name="d"), "d has no results"),
                           (self.results(MACHINE, name="e"), "e has no results"),
                           (self.results(line(1), cut=20, name="f"), "f has no results")):
            result = self.script("report.py", path)
            self.assertEqual(result.returncode, 1, path)
            self.assertTrue(result.stderr.endswith(f"/{said}\n"), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_two_libraries_are_not_one_column(self):
        result = self.script("report.py", self.results(line(1), name="a"), self.results(line(1, version="2.0"), name="b"))
        self.assertEqual((result.returncode, result.stderr), (1, "report.py: 'One' is One 1.0 in some results and One "
                                                                 "2.0 in others: they cannot be one column\n"))

    def test_a_file_that_is_not_there_is_one_sentence(self):
        result = self.script("report.py", self.folder / "none.jsonl")
        self.assertEqual(result.stderr, f"report.py: {self.folder}/none.jsonl: No such file or directory\n")

    def test_what_a_program_says_beside_its_results_is_kept_apart(self):
        good = '{"bench":"a","quantity":"q","library":"l","version":"1","parameters":{},"unit":"u",' \
               '"better":"less","median":1,"p25":1,"p75":1,"samples":1}'
        infinite = good.replace('"median":1', '"median":Infinity')
        lines, said = results.split(f"words\n{good}\n[1]\n{infinite}\n7\n")
        self.assertEqual(len(lines), 1)
        self.assertEqual(said.splitlines(), ["words", "[1]", infinite, "7"])

    def test_a_failed_run_is_where_its_options_say(self):
        failed = {"failed": "status 1", "bench": "latency", "label": "Two", "name": "Two", "said": "",
                  "options": "--mode threads --pairs 4 --sizes 8,4096"}
        found = results.Results([self.results(line(1), failed)])
        where = {"mode": "threads", "pairs": 4, "comms": "shared", "size": 8}
        self.assertTrue(found.failed("latency", "half round trip", "Two", **where))
        self.assertFalse(found.failed("latency", "half round trip", "One", **where))
        for other in ({"pairs": 2}, {"mode": "processes"}, {"comms": "own"}, {"buffers": "memory"}):
            self.assertFalse(found.failed("latency", "half round trip", "Two", **{**where, **other}), other)

    def test_more_threads_than_cores_are_known(self):
        found = results.Results([self.results(MACHINE, line(1, strands=3), line(1, "Two", strands=2))])
        crowded = [found.find("latency", "half round trip", label).crowded for label in ("One", "Two")]
        self.assertEqual(crowded, [True, False])


class Load(Case):
    def test_steal_counts_and_idle_and_other_cores_do_not(self):
        text = ("cpu  9 9 9 9 9 9 9 9 9 9\n"
                "cpu0 100 20 3 1000 2000 4 5 60 70 0\n"
                "cpu1 1 1 1 1 1 1 1 1 1 1\n"
                "intr 5 4\n")
        ticks = load.busy_seconds(text, {0}) * load.os.sysconf("SC_CLK_TCK")
        self.assertEqual(round(ticks), 100 + 20 + 3 + 4 + 5 + 60)

    def test_what_others_took_is_a_share_of_our_cores(self):
        watch = load.Watch()
        watch.begin = (0, 0, 0)
        watch.now = lambda: (10, 10 * len(load.cores()), 4)  # all busy, 4 s of it by ourselves
        self.assertAlmostEqual(watch.others(), 1 - 4 / (10 * len(load.cores())))

    def test_without_proc_it_is_not_known(self):
        self.assertIsNone(load.Watch(self.folder / "stat").others())


if __name__ == "__main__":
    unittest.main()
