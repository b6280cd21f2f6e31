"""Whether a figure is better than another one, or whether that cannot be told."""
import enum

# What figures must differ by at least. A single round says nothing of other rounds, which may differ
# by results.UNSTEADY without being called unsteady.
LEAST, LEAST_OF_ONE_ROUND = 1.1, 2


class Verdict(enum.Enum):
    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "no clear difference"
    UNSTEADY = "not steady"


def times_better(point, base):
    """Above 1: `point` is better than `base`; None where a ratio says nothing."""
    if point.value <= 0 or base.value <= 0:
        return None
    return point.value / base.value if point.better == "more" else base.value / point.value


def overlap(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


def verdict(point, base):
    """Of `point` against `base`."""
    if not (point.steady and base.steady):
        return Verdict.UNSTEADY
    times, one_round = times_better(point, base), min(len(point.rounds), len(base.rounds)) == 1
    if overlap(point.range, base.range) or times is None and one_round:
        return Verdict.UNCLEAR
    least = LEAST_OF_ONE_ROUND if one_round else LEAST
    if times is not None and 1 / least < times < least:
        return Verdict.UNCLEAR
    better = (point.value > base.value) == (point.better == "more")
    return Verdict.BETTER if better else Verdict.WORSE


def best_of(points):
    """The label of the best steady point, or None; `points`: label -> Point."""
    steady = {label: point for label, point in points.items() if point.steady}
    if not steady:
        return None
    sign = 1 if next(iter(steady.values())).better == "more" else -1
    return max(steady, key=lambda label: sign * steady[label].value)


def leaders(points):
    """The best one and the labels that nothing tells from it; empty if all are unsteady."""
    best = best_of(points)
    if best is None:
        return []
    return [label for label, point in points.items()
            if label == best or verdict(point, points[best]) is not Verdict.WORSE]
