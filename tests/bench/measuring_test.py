"""When a run is done again, with a load and jobs that the test makes up."""
import pathlib
import time
import unittest
from unittest import mock

import suite  # noqa: F401

import jobs
import libraries
import measure
import runs
from build import Built

LIBRARY = Built(libraries.Library("MPICH", pathlib.Path("/none")), pathlib.Path("/none"), "MPICH", "process")


class Again(unittest.TestCase):
    def attempt(self, *others, statuses=(0, 0, 0, 0), left=60):
        """What is kept of runs during which others took so much; their outputs are their numbers."""
        outcomes = [jobs.Outcome(str(number), status) for number, status in enumerate(statuses)]
        watches = [mock.Mock(others=mock.Mock(return_value=share)) for share in others]
        settings = measure.Settings(1, 0.1, time.monotonic() + left)
        with mock.patch("jobs.run", side_effect=outcomes), mock.patch("load.Watch", side_effect=watches):
            kept = measure.attempt_until_quiet(LIBRARY, runs.Run("latency", 2), settings)
        return kept.outcome.output, kept.others, kept.number

    def test_a_quiet_run_is_enough(self):
        self.assertEqual(self.attempt(0.05, 0), ("0", 0.05, 1))

    def test_a_disturbed_run_is_done_again_until_it_is_quiet(self):
        self.assertEqual(self.attempt(0.3, 0.04, 0), ("1", 0.04, 2))

    def test_of_disturbed_runs_the_least_disturbed_counts(self):
        self.assertEqual(self.attempt(0.3, 0.1, 0.2, 0), ("1", 0.1, 3))

    def test_where_the_load_is_not_known_one_run_counts(self):
        self.assertEqual(self.attempt(None, 0), ("0", None, 1))

    def test_a_run_that_fails_is_not_done_again(self):
        self.assertEqual(self.attempt(0.3, 0, statuses=(1, 0)), ("0", 0.3, 1))

    def test_when_the_time_is_up_nothing_is_done_again(self):
        self.assertEqual(self.attempt(0.3, 0, left=-1), ("0", 0.3, 1))

    def test_a_failure_counts_though_an_earlier_run_had_a_result(self):
        self.assertEqual(self.attempt(0.3, 0.9, 0, statuses=(0, 7, 0)), ("1", 0.9, 2))


if __name__ == "__main__":
    unittest.main()
