"""tools/acceptance/proxies.py: the judge of each proxy application takes right figures, and no wrong one."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/acceptance"))

import proxies

RIGHT = {
    "lulesh": "Iteration count     =  231\nFinal Origin Energy =  2.720531e+04\nMaxAbsDiff   = 2.0e-12\nTotalAbsDiff = 1.0e-11\n"
              "MaxRelDiff   = 4.0e-14\n",
    "minife": "Initial Residual = 21.0191\nIteration = 20   Residual = 0.00656352\nFinal Resid Norm: 1.3e-16\n"
              "solution matches analytic solution to within 0.06 or better.\n",
    "comd": "  Initial energy  : -1.166063303476\n  Final energy    : -1.166048388020\n  eFinal/eInitial : 0.999987\n"
            "  Final atom count : 6912, no atoms lost\n",
    "quicksilver": "cycle  start\n       0      0   1728   0   15552   65454   596530   52567   105134   714551   0   4393   1435680  5.2e+07\n"
                   "PASS:: No Particles Lost During Run\n",
}
RIGHT["comd-eam"] = RIGHT["comd"]
PUBLISHED = {"lulesh": {"iterations": 231, "energy": 2.720531e4}}


def figures_in(proxy, text):
    """(name, start, end) of each figure of the text that is judged."""
    for name, (pattern, _) in {**proxy.figures, **proxy.limits}.items():
        said = re.search(rf"{pattern}\s*(-?[\d.e+-]+)", text)
        yield name, said.start(1), said.end(1)


class Judges(unittest.TestCase):
    def wrong(self, proxy, text, published=None):
        return proxy.wrong(text, RIGHT[proxy.name], PUBLISHED.get(proxy.name, {}) if published is None else published)

    def test_the_right_output_is_right(self):
        for proxy in proxies.PROXIES:
            self.assertEqual(self.wrong(proxy, RIGHT[proxy.name]), [], proxy.name)

    def test_each_figure_that_is_wrong_or_no_number_or_missing_is_told(self):
        for proxy in proxies.PROXIES:
            text = RIGHT[proxy.name]
            for name, start, end in figures_in(proxy, text):
                for instead in ("7", "nan", "-nan", "inf", ""):
                    said = self.wrong(proxy, text[:start] + instead + text[end:])
                    self.assertTrue(any(line.startswith(f"{name}:") for line in said), f"{proxy.name}, {name}: '{instead}': {said}")

    def test_each_sentence_that_is_missing_is_told(self):
        for proxy in proxies.PROXIES:
            for pattern in proxy.says:
                said = self.wrong(proxy, re.sub(pattern, "", RIGHT[proxy.name]))
                self.assertIn(f"it does not say '{pattern}'", said, proxy.name)

    def test_what_is_equally_wrong_alone_differs_from_what_was_published(self):
        lulesh = proxies.PROXIES[0]
        text = RIGHT["lulesh"].replace("2.720531e+04", "2.720631e+04")
        said = lulesh.wrong(text, text, PUBLISHED["lulesh"])
        self.assertEqual(said, ["energy: 27206.31; published: 27205.31"])

    def test_an_empty_output_is_wrong_even_if_the_reference_is_empty(self):
        for proxy in proxies.PROXIES:
            self.assertEqual(len(proxy.wrong("", "", {})), len(proxy.says) + len(proxy.figures) + len(proxy.limits), proxy.name)


class Sizes(unittest.TestCase):
    def test_the_mesh_is_the_same_for_all_ranks(self):
        lulesh = proxies.PROXIES[0]
        for small, ranks, side, whole in ((True, 1, 10, 10), (True, 8, 5, 10), (True, 27, 4, 12), (True, 64, 3, 12), (False, 27, 10, 30),
                                          (False, 64, 5, 20)):
            self.assertEqual(lulesh.arguments(ranks, small, "."), ["-s", str(side)], ranks)
            self.assertEqual(lulesh.alone(ranks, small, "."), ["-s", str(whole)], ranks)
        self.assertIsNone(lulesh.arguments(6, False, "."))

    def test_a_grid_has_all_ranks(self):
        for ranks in range(1, 200):
            first, second, third = proxies.grid_of(ranks)
            self.assertEqual(first * second * third, ranks)
            self.assertTrue(first >= second >= third, ranks)


if __name__ == "__main__":
    unittest.main()
