#!/usr/bin/env python3
"""Names the tests of a ctest run that came near their time limits.

    near_limits.py RESULTS.xml TESTS.json

RESULTS.xml is what `ctest --output-junit` wrote, TESTS.json what `ctest --show-only=json-v1` says. A limit
should hold on a machine three times as slow, so a test that took more than a third of its limit is
named. It decides nothing: the exit status is 0.
"""
import json
import pathlib
import sys
import xml.etree.ElementTree

TIMES_SLOWER = 3


def limits(tests):
    """Test -> its limit in seconds."""
    found = {}
    for test in tests["tests"]:
        for one in test.get("properties", []):
            if one["name"] == "TIMEOUT":
                found[test["name"]] = float(one["value"])
    return found


def near(results, limit_of):
    """(share of the limit, seconds, limit, test) of those that came near, the nearest first."""
    rows = []
    for case in results.iter("testcase"):
        limit = limit_of.get(case.get("name"))
        seconds = float(case.get("time") or 0)
        if limit and seconds * TIMES_SLOWER > limit:
            rows.append((seconds / limit, seconds, limit, case.get("name")))
    return sorted(rows, reverse=True)


def main():
    results, tests = map(pathlib.Path, sys.argv[1:])
    if not results.exists():
        return  # ctest was stopped, or had only been asked something
    try:
        rows = near(xml.etree.ElementTree.parse(results), limits(json.loads(tests.read_text())))
    except (xml.etree.ElementTree.ParseError, ValueError) as wrong:
        print(f"which tests came near their limits is not known: {wrong}")
        return
    if rows:
        print(f"\nMore than a third of their time limits took (a machine {TIMES_SLOWER} times as slow would exceed them):")
    for share, seconds, limit, test in rows:
        print(f"  {test}: {seconds:.0f} of {limit:.0f} seconds, {share:.0%}")


if __name__ == "__main__":
    main()
