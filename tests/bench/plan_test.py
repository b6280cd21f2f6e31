"""What is run: that the questions of the tables are asked, and in an order that can end at any time."""
import unittest

import suite  # noqa: F401

import results
import runs
from questions import QUESTIONS

LISTS = {"size": "sizes", "depth": "depths"}  # a parameter that an option gives a list of
IMPLIED = {"receivers": "pairs"}  # as many, where the option is not given


def asks(run, question):
    """Whether a run gives a figure with the question's parameters."""
    words = results.words_of({"options": run.options, "ranks": run.ranks})
    if run.bench != question.bench or words.get("operation", question.quantity) != question.quantity:
        return False
    for name, value in question.fixed.items():
        given = words.get(name) or words.get(LISTS.get(name)) or words.get(IMPLIED.get(name))
        if given is not None and str(value) not in given.split(","):
            return False
    return True


class Plan(unittest.TestCase):
    def test_each_question_is_asked(self):
        for planned, questions in ((runs.full(2), QUESTIONS), (runs.quick(), [q for q in QUESTIONS if q.use])):
            for question in questions:
                asked = [run for run in planned if asks(run, question)]
                quick_lacks = planned == runs.quick() and "communicator for each" in question.use
                self.assertTrue(asked or quick_lacks, question)

    def test_no_question_has_two_answers(self):
        for question in QUESTIONS:
            self.assertLessEqual(len([run for run in runs.full(64) if asks(run, question)]), 1, question)

    def test_runs_have_names_of_their_own(self):
        for planned in (runs.quick(), runs.full(2), runs.full(64)):
            self.assertEqual(len({run.key for run in planned}), len(planned))

    def test_eight_pairs_need_their_cores(self):
        def eight(cores):
            return {run.bench for run in runs.full(cores) if "--pairs 8" in run.options}
        self.assertEqual(eight(15), {"oversubscription"})
        self.assertLessEqual({"bandwidth", "latency", "message_rate", "collectives"}, eight(16))

    def test_the_first_turn_has_each_program(self):
        for planned in (runs.quick(), runs.full(2)):
            self.assertEqual({run.bench for run in planned[:len(runs.BENCHES)]}, set(runs.BENCHES))


if __name__ == "__main__":
    unittest.main()
