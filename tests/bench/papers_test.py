"""The frame of ./dev papers: what stands in its tables, and what it says of what is missing."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/papers"))
import frame  # noqa: E402
import kept  # noqa: E402
import papers  # noqa: E402
import shown  # noqa: E402


def figure(**more):
    runs = [frame.Run(line, "none", frame.of_word("rate", 1)) for line in ("atomic", "collector")]
    return frame.Figure("lifetime/rate", "a title", "figure 4", "says", "threads", "million a second", runs, **more)


def measured(**more):
    """Two rounds; the second on a machine that is twice as fast."""
    series = frame.Series(figure(**more))
    for number, speed in enumerate((1, 2)):
        series.add("atomic", {1: 1.0 * speed, 2: 0.5 * speed}, number)
        series.add("collector", {1: 1.1 * speed, 2: 1.0 * speed}, number)
    return series


class Tables(unittest.TestCase):
    def test_ratios_are_those_of_each_round(self):
        series = measured(relative_to="atomic")
        self.assertEqual([round(ratio, 6) for ratio in series.ratios("collector", 2)], [2.0, 2.0])
        self.assertIn("| 2 | 2 [2, 2] |", shown.table(series, relative=True))

    def test_the_papers_ratios_stand_beside_ours_and_not_beside_our_rates(self):
        series = measured(relative_to="atomic", paper={"collector": {1: 1.10, 4: 1.31}}, paper_is="relative")
        self.assertNotIn("1.31", shown.table(series))
        self.assertIn("| 4 | - | 1.31 |", shown.table(series, relative=True))

    def test_what_failed_is_a_sentence_and_no_zero(self):
        series = frame.Series(figure())
        series.add("atomic", {1: 3.0}, 0)
        series.fail("collector", "it did not end in time")
        text = shown.section(series)
        self.assertIn("| 1 | 3 | - |", text)
        self.assertIn("- collector: it did not end in time", text)

    def test_lines_that_lack_the_same_are_told_together(self):
        series = frame.Series(figure())
        for line in ("atomic", "collector"):
            series.fail(line, "mpich could not be installed")
        self.assertEqual(shown.gaps(series), ["atomic; collector: mpich could not be installed"])


class Kept(unittest.TestCase):
    """Which result may take the place of which."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def keep(self, value, runs=40, disturbed=0, quick=False, overwrite=False, counted=False):
        series = frame.Series(figure(counted=counted))
        for number in range(runs):
            series.watched(1.0 if number < disturbed else 0.0)
        if value is not None:
            series.add("atomic", {1: value}, 0)
        return kept.keep(kept.noted(series, quick), f"rate {value}", self.folder / "none.png", self.folder, overwrite)

    def there(self):
        return (self.folder / "lifetime-rate.md").read_text()

    def test_a_noisy_result_does_not_replace_a_quiet_one(self):
        self.assertIsNone(self.keep(1.0))
        self.assertIn("loaded", self.keep(2.0, disturbed=20))
        self.assertEqual(self.there(), "rate 1.0")

    def test_unless_it_is_asked_to(self):
        self.keep(1.0)
        self.assertIsNone(self.keep(2.0, disturbed=20, overwrite=True))
        self.assertEqual(self.there(), "rate 2.0")

    def test_it_is_kept_where_there_is_none_and_a_quiet_one_replaces_it(self):
        self.assertIsNone(self.keep(1.0, disturbed=20))
        self.assertIsNone(self.keep(2.0, disturbed=40))
        self.assertIsNone(self.keep(3.0))
        self.assertEqual(self.there(), "rate 3.0")

    def test_one_disturbed_run_of_many_makes_no_noise(self):
        self.keep(1.0)
        self.assertIsNone(self.keep(2.0, disturbed=1))

    def test_a_quick_look_does_not_replace_a_measurement(self):
        self.keep(1.0)
        self.assertIn("quick", self.keep(2.0, quick=True))

    def test_what_failed_replaces_nothing_even_if_asked_to(self):
        self.keep(1.0)
        self.assertIn("no values", self.keep(None, overwrite=True))
        self.assertEqual(self.there(), "rate 1.0")

    def test_what_is_counted_is_never_noisy(self):
        self.keep(1.0, counted=True)
        self.assertIsNone(self.keep(2.0, disturbed=40, counted=True))


class Reading(unittest.TestCase):
    def test_a_program_that_prints_no_result_is_unreadable(self):
        for read in (frame.of_word("seconds", 1), frame.of_suite("message rate")):
            with self.assertRaises(frame.Unreadable):
                read("status 0, and nothing else\n")

    def test_a_word_and_a_number_are_a_result(self):
        self.assertEqual(frame.of_word("seconds", 16)("heat: 4 ranks\nseconds 2.5\n"), {16: 2.5})


class Machines(unittest.TestCase):
    def test_one_core_and_many_threads_are_remarked_on(self):
        self.assertIn("one core", frame.Machine(1, False).remarks(4)[0])
        self.assertIn("2 cores, and up to 8", frame.Machine(2, False).remarks(8)[0])
        self.assertEqual(frame.Machine(16, False).remarks(8), [])

    def test_each_experiment_has_a_plan_for_any_number_of_cores(self):
        for cores in (1, 2, 16, 192):
            for quick in (False, True):
                machine = frame.Machine(cores, quick)
                for paper in papers.PAPERS.values():
                    for one in paper.figures(machine):
                        self.assertTrue(one.runs, one.name)

    def test_threads_are_those_of_the_paper_and_as_many_as_cores(self):
        self.assertEqual(frame.Machine(16, False).counts(4), [1, 2, 3, 4, 16])
        self.assertEqual(frame.Machine(1, False).counts(4), [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
