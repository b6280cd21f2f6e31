"""When one figure is called better than another, and which library for what."""
import dataclasses
import unittest

from suite import Case, line

import judge
import results
import summary
from judge import Verdict
from results import Point


def point(*medians, better="less", reach=None):
    return Point("us", better, [(median, *(reach or (median, median))) for median in medians])


def flagged(word, *medians):
    return dataclasses.replace(point(*medians), flags={word})


class Verdicts(unittest.TestCase):
    def test_ranges_that_overlap_are_no_clear_difference(self):
        self.assertEqual(judge.verdict(point(1, 2, 1.9), point(1.9, 2.5, 3)), Verdict.UNCLEAR)
        self.assertEqual(judge.verdict(point(1, 1.5), point(1.6, 1.9)), Verdict.BETTER)
        self.assertEqual(judge.verdict(point(1.6, 1.9), point(1, 1.5)), Verdict.WORSE)

    def test_more_can_be_better(self):
        self.assertEqual(judge.verdict(point(1, 1.5, better="more"), point(2, 3, better="more")), Verdict.WORSE)

    def test_small_differences_are_none(self):
        self.assertEqual(judge.verdict(point(1, 1.01), point(1.04, 1.05)), Verdict.UNCLEAR)

    def test_rounds_that_differ_by_more_than_two_times_say_nothing(self):
        self.assertEqual(judge.verdict(point(1, 2.1), point(50, 60)), Verdict.UNSTEADY)
        self.assertEqual(judge.verdict(point(50, 60), point(1, 2.1)), Verdict.UNSTEADY)

    def test_samples_that_the_program_doubts_say_nothing(self):
        self.assertEqual(judge.verdict(flagged("slices", 4000, 4000), point(1, 1)), Verdict.UNSTEADY)
        self.assertEqual(judge.verdict(flagged("few samples", 4000), point(1)), Verdict.UNSTEADY)

    def test_slices_are_how_it_is_with_more_threads_than_cores(self):
        crowded = dataclasses.replace(flagged("slices", 4000, 4000), crowded=True)
        self.assertEqual(judge.verdict(crowded, point(1, 1)), Verdict.WORSE)

    def test_few_samples_do_not_matter_with_several_rounds(self):
        self.assertEqual(judge.verdict(flagged("few samples", 4000, 4100), point(1, 1)), Verdict.WORSE)

    def test_one_round_must_differ_by_more(self):
        self.assertEqual(judge.verdict(point(1, reach=(0.9, 1.1)), point(1.8, reach=(1.7, 1.9))), Verdict.UNCLEAR)
        self.assertEqual(judge.verdict(point(1, reach=(0.9, 1.1)), point(2.5, reach=(2.4, 2.6))), Verdict.BETTER)
        self.assertEqual(judge.verdict(point(1, reach=(0.9, 9)), point(2.5, reach=(2.4, 2.6))), Verdict.UNCLEAR)

    def test_figures_below_zero_are_compared_without_ratio(self):
        low, high = point(-20, -10, better="more"), point(15, 20, better="more")
        self.assertEqual(judge.verdict(high, low), Verdict.BETTER)
        self.assertEqual(judge.verdict(point(-20, better="more"), point(5, better="more")), Verdict.UNCLEAR)

    def test_no_verdict_depends_on_which_of_two_is_the_baseline(self):
        opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
        points = [point(1, 1.4), point(1.5, 2), point(1, 3), point(1.2), point(9), point(0, 0), point(-1, 1)]
        for one in points:
            for other in points:
                verdict = judge.verdict(one, other)
                self.assertEqual(judge.verdict(other, one), opposite.get(verdict, verdict))


class Answers(Case):
    def answer(self, *points):
        return summary.answer({f"L{i}": one for i, one in enumerate(points)})

    def test_the_best_is_named_with_how_much(self):
        self.assertEqual(self.answer(point(4, 4), point(1, 1), point(10, 10)), ("L1", "L0 4×, L2 10×"))

    def test_libraries_that_nothing_tells_apart_are_named_together(self):
        self.assertEqual(self.answer(point(1.2, 1.6), point(1, 1.3), point(10, 10)), ("L0 or L1", "L2 8.7×"))

    def test_all_may_be_alike(self):
        self.assertEqual(self.answer(point(1.2, 1.6), point(1, 1.3)), ("no clear difference", ""))

    def test_an_unsteady_one_is_neither_best_nor_beaten(self):
        self.assertEqual(self.answer(point(0.1, 1), point(1, 1), point(3, 3)), ("L1", "L2 3×; not steady: L0"))
        self.assertEqual(self.answer(point(1, 3), point(1, 3)), ("not known", "not steady: L0, L1"))
        self.assertEqual(self.answer(point(1, 1), point(1, 3)), ("not known", "not steady: L1"))

    def test_an_unsteady_one_that_is_far_behind_is_beaten(self):
        self.assertEqual(self.answer(point(1, 1), point(3, 30)), ("L0", "L1 16×"))
        self.assertEqual(self.answer(point(1, 1), flagged("few samples", 100)), ("L0", "L1 100×"))
        self.assertEqual(self.answer(point(1, 1), flagged("slices", 4000, 4000)), ("not known", "not steady: L1"))
        more = [dataclasses.replace(one, better="more") for one in (point(10, 10), point(1, 4), point(1, 6))]
        self.assertEqual(self.answer(*more), ("L0", "L1 4×; not steady: L2"))

    def test_a_cell_is_coloured_only_for_a_clear_difference(self):
        lines = [line(median, label) for label, medians in (("A", (1, 1.2)), ("B", (1.1, 1.5)), ("C", (3, 4)),
                                                            ("D", (1, 9))) for median in medians]
        table = summary.glance_table(results.Results([self.results(*lines)]), "A")
        classes = [cell.split('"')[0] for cell in table.split('<td class="')[1:]]
        self.assertEqual(classes, ["base", "unclear", "worse", "unsteady"])

    def test_every_column_can_be_the_baseline(self):
        text = summary.glance(results.Results([self.results(line(1, "A"), line(5, "B"))]))
        self.assertEqual((text.count("<table>"), text.count('type="radio"'), text.count(" checked")), (3, 3, 1))


if __name__ == "__main__":
    unittest.main()
