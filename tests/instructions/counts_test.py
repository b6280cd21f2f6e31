#!/usr/bin/env python3
"""What counts.py makes of parts and of a table; nothing is counted."""
import unittest

import counts

PARTS = [("start", 1, 5000), ("", 0, 77), ("barrier", 10, 1400), ("", 0, 78), ("barrier", 30, 3400)]


class Counts(unittest.TestCase):
    def test_a_count_is_the_difference_of_two_lengths_and_the_start_is_all_of_it(self):
        self.assertEqual(counts.counts(PARTS), {"start": 5000, "barrier": 100})

    def test_a_table_is_read_as_it_was_written(self):
        found = counts.counts(PARTS)
        self.assertEqual(counts.read_table(counts.write_table(found)), found)
        self.assertEqual(counts.read_table("# text\nfour messages   12.5\n"), {"four messages": 12.5})

    def test_more_and_less_than_the_tolerance_are_wrong(self):
        table = {"dearer": 100.0, "cheaper": 100.0, "alike": 100.0, "gone": 1.0}
        found = {"dearer": 102.1, "cheaper": 97.9, "alike": 101.9, "new": 1.0}
        lines, wrong = counts.judge(found, table)
        self.assertEqual(len(lines), 5)
        self.assertEqual([line.split()[0].rstrip(":") for line in wrong], ["dearer", "cheaper", "new", "gone"])
        self.assertEqual(counts.judge(table, table)[1], [])

    @unittest.skipUnless(counts.TABLE.exists(), "no table yet")
    def test_the_table_of_today_names_what_the_program_counts(self):
        program = (counts.HERE / "counted.c").read_text()
        for name in counts.read_table(counts.TABLE.read_text()):
            self.assertIn(f'"{name}"', program)


if __name__ == "__main__":
    unittest.main()
