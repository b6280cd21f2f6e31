"""./dev bench report: figures go in, tables and verdicts come out; a run goes on where it was interrupted."""
import contextlib
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/compare"))
import compare  # noqa: E402
import mpis  # noqa: E402
import parts  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
import tables  # noqa: E402

RECORDED_GOALS = (
    "commit c9cafd3020, by `./dev bench report --only memory instructions`: 2 cores, AMD EPYC,",
    "Rounds in which the MPIs took turns: 1. Load of the machine when it began: 20.6.",
    "| a message among four neighbours | ≤ 700 instructions | 1,254 instructions | **no** |",
    "| memory a rank, 256 ranks | ≤ 200 KiB | 88 KiB | yes |\n| memory a rank, 1024 ranks | ≤ 200 KiB | 78.6 KiB | yes |",
    "| start and end 256 ranks | ≤ 0.3 s | not measured by this run | - |",
    "| cache line to the other core and back, ns | 63.4 |\n| memcpy of 1,024 bytes, GB/s | 80.5 |")
RECORDED_TABLE = (
    "| ranks | heddle | mpich | openmpi | impi |",
    "| 2 | 2,340 (1 run) | 12,061 (1 run) | 8,192 (1 run) | 6,674 (1 run) |",
    "| 256 | 88 (1 run) | 12,076 (1 run) | gave up after 30 s | gave up after 30 s |\n| 1024 | 78.6 (1 run) | - | - | - |",
    "```\n   1254  a message: Irecv, Isend and their share of Waitall\n")
NEAR, FAR = [50, 60], [400, 410]


def run(mpi, case, number, trips=NEAR, **values):
    return {"kind": "run", "mpi": mpi, "case": case, "round": number, "trips": trips,
            "values": {name.removeprefix("_"): value for name, value in values.items()}}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Pages(InAFolder):
    """What notes become."""

    def written(self, path):
        arguments = ["report", "--notes", str(path), "--out", str(self.folder)]
        with mock.patch("sys.argv", arguments), mock.patch("builtins.print"):
            report.main()
        return [(self.folder / f"{name}.md").read_text() for name in ("performance", "comparison")]

    def pages(self, *lines):
        path = self.folder / "notes.jsonl"
        machine = {"kind": "machine", "cores": 2, "cpu": "a cpu", "system": "a system", "date": "2026-01-02", "load": 0.5,
                   "commit": "abcdef"}
        path.write_text("".join(json.dumps(line) + "\n" for line in (machine, *lines)))
        return self.written(path)

    def test_a_recorded_run_becomes_both_pages(self):
        """`--only memory instructions --rounds 1` of 2026-11-29; the figures here were taken from the notes by hand."""
        performance, comparison = self.written(pathlib.Path(__file__).with_name("recorded.jsonl"))
        for line in RECORDED_GOALS:
            self.assertIn(line, performance)
        for line in RECORDED_TABLE:
            self.assertIn(line, comparison)

    def test_a_median_stands_between_the_least_and_the_greatest(self):
        _, page = self.pages(*(run(mpi, "latency/2", number, _8=value) for mpi, values in
                               (("heddle", (3.0, 1.0, 2.0)), ("mpich", (30.0, 20.0, 10.0))) for number, value in enumerate(values)))
        self.assertIn("| bytes | heddle | mpich |\n|---|---|---|\n| 8 | 2 [1–3] | 20 [10–30] |\n", page)

    def test_near_and_far_have_tables_of_their_own(self):
        lines = [run(mpi, "latency/2", number + 3 * far, (NEAR, FAR)[far], _8=value + far)
                 for mpi, value in (("heddle", 1.0), ("mpich", 2.0)) for far in (0, 1) for number in range(3)]
        page = self.pages(*lines)[1]
        self.assertIn("cores near\n\n| bytes | heddle | mpich |\n|---|---|---|\n| 8 | 1 [1–1] | 2 [2–2] |", page)
        self.assertIn("cores far\n\n| bytes | heddle | mpich |\n|---|---|---|\n| 8 | 2 [2–2] | 3 [3–3] |", page)

    def test_a_verdict_follows_from_the_figures_of_each_state(self):
        lines = [run(mpi, "latency/2", number + 3 * far, (NEAR, FAR)[far], _8=values[far])
                 for mpi, values in (("heddle", (2.0, 2.0)), ("mpich", (3.0, 1.0)), ("impi", (2.5, 9.0))) for far in (0, 1) for number in range(3)]
        page = self.pages(*lines)[0]
        self.assertIn("| 8 bytes, half round trip, two workers (cores near) | the best peer's speed | 1.25 times it | yes |", page)
        self.assertIn("| 8 bytes, half round trip, two workers (cores far) | the best peer's speed | 0.50 times it | **no** |", page)

    def test_what_gave_up_is_a_sentence_and_no_figure(self):
        page = self.pages(run("heddle", "startup/256", 0, wall=0.25), run("mpich", "startup/256", 0, gave_up=30))[1]
        self.assertIn("| 256 | 0.25 (1 run) | gave up after 30 s |", page)

    def test_what_was_not_measured_is_told_and_has_no_verdict(self):
        performance, comparison = self.pages(run("heddle", "memory/256", 0, kib_a_rank=67.8))
        self.assertIn("| memory a rank, 256 ranks | ≤ 200 KiB | 67.8 KiB | yes |", performance)
        self.assertIn("| memory a rank, 1024 ranks | ≤ 200 KiB | not measured by this run | - |", performance)
        for page in (performance, comparison):
            self.assertIn("commit abcdef, by `./dev bench report --only memory`", page)
            self.assertIn("Not measured by this run: switch, latency, bandwidth,", page)
            self.assertIn("Rounds in which the MPIs took turns: 1.", page)

    def test_tables_of_other_scripts_are_taken_over_and_judged(self):
        heap = "4 ranks\n\n| blocks | ours | other | ratio |\n|---|---|---|---|\n| own | 1.0 | 2.0 | 0.97 |\n"
        balance = ("| loads | | seconds | ratio |\n|---|---|---|---|\n| even |  | 1.0 | |\n| moving | --balance | 0.5 | 1.41 times faster |\n"
                   "\none rank with 4 times the work, with --balance: 1.20 times the ideal\n")
        performance, comparison = self.pages(*({"kind": "part", "part": name, "rounds": 3, "output": output}
                                               for name, output in (("heap", heap), ("balance", balance))))
        self.assertIn("`python3 bench/heap/measure.py --rounds 3`\n\n| blocks | ours |", comparison)
        self.assertIn("| malloc and free, own: heaps of ranks against mimalloc alone | ≥ 1 of its speed | 0.97 of its speed | **no** |", performance)
        self.assertIn("against the ideal | ≤ 1.1 times | 1.2 times | **no** |", performance)
        self.assertIn("| ≥ 1.3 times the speed | 1.41 times the speed | yes |", performance)


class Plan(unittest.TestCase):
    def test_each_question_has_a_case_and_each_case_a_question(self):
        self.assertEqual({case.what for case in plan.cases(quick=False)}, set(tables.QUESTIONS))

    def test_each_part_has_a_script(self):
        for part in parts.PARTS.values():
            self.assertTrue((ROOT / part.command[0]).exists(), part.command)


class Resumed(InAFolder):
    def measure(self, rounds):
        """The runs that were done, with a program that needs no time."""
        cases = [case for case in plan.cases(quick=True) if case.what == "startup" and case.ranks <= 2]
        done = []

        def run_case(mpi, case):
            done.append((mpi.name, case.key))
            if len(done) == self.stop_after:
                raise KeyboardInterrupt
            return {"gave_up": 30} if mpi is mpis.INTEL else {"wall": 1.0}
        with mock.patch.multiple(compare, run_case=run_case, machine_state=lambda *_: {"trip_ns": 50}, show=mock.Mock()):
            noted = compare.Noted(self.folder / "new.jsonl", commit="c")
            with noted.file, contextlib.suppress(KeyboardInterrupt):
                compare.measure(mpis.ALL, cases, rounds, noted, with_switch=False)
        return done

    def test_an_interrupted_run_goes_on_and_repeats_nothing(self):
        self.stop_after = 3
        first = self.measure(1)
        self.stop_after = 0
        second = self.measure(1)
        self.assertEqual((len(first), second[0]), (3, first[-1]))  # the third was not finished
        self.assertEqual(sorted(set(first + second)), sorted((mpi.name, f"startup/{n}") for mpi in mpis.ALL for n in (1, 2)))
        self.assertEqual(self.measure(1), [])

    def test_more_rounds_are_added_except_for_those_that_gave_up(self):
        self.stop_after = 0
        self.measure(1)
        again = self.measure(2)
        self.assertEqual(sorted({mpi for mpi, _ in again}), ["heddle", "mpich", "openmpi"])
        self.assertEqual(len(again), 6)


if __name__ == "__main__":
    unittest.main()
