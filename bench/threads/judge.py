"""Whether a figure is better than another one, or whether that cannot be told."""
import enum

from results import UNSTEADY

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


def far_behind(point, best):
    """Whether an unsteady point is so much worse than the best that unsteadiness does not matter: the
    ranges lie apart by more than rounds may differ. Slices of the scheduler say nothing even then."""
    if "slices" in point.doubts or point.range[0] <= 0 or best.range[0] <= 0:
        return False
    if point.better == "more":
        return point.range[1] * UNSTEADY < best.range[0]
    return best.range[1] * UNSTEADY < point.range[0]


def ranking(points):
    """Labels as (the best and those that nothing tells from it, those behind, those not known);
    `points`: label -> Point."""
    best = best_of(points)
    leaders, behind, unknown = [], [], []
    for label, point in points.items():
        if best is None or not point.steady and not far_behind(point, points[best]):
            unknown.append(label)
        elif not point.steady or verdict(point, points[best]) is Verdict.WORSE:
            behind.append(label)
        else:
            leaders.append(label)
    return leaders, behind, unknown
