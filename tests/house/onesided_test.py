"""tools/acceptance/onesided.py: what it reads from the output of programs for one-sided communication."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/acceptance"))

import imb
import onesided

OSU = "# OSU MPI_Put Latency Test v7.4\n# Size          Latency (us)\n1                       0.19\n2                       0.20\n"
CHECKED = ("# OSU MPI_Accumulate latency Test v7.4\n# Size          Latency (us)        Validation\n64                      0.20            passed\n"
           "PASSED: All 1 combinations of ops and datatypes tested passed.\n")
IMB = ("#       \n       #bytes #repetitions      t[usec]   Mbytes/sec      defects\n            0            5         0.08         0.00         0.00\n"
       "            4            5         0.13        31.20         0.00\n\n# Benchmarking Window \n       #bytes #repetitions  t_min[usec]  t_max[usec]\n"
       "            0            5         0.08         0.10\n")


class Judges(unittest.TestCase):
    def test_right_outputs_are_right(self):
        self.assertEqual(onesided.wrong_in_osu(OSU, False), "")
        self.assertEqual(onesided.wrong_in_osu(CHECKED, True), "")
        self.assertEqual(imb.wrong_in(IMB), "")
        self.assertEqual(onesided.wrong_in_kernel("Number of ranks = 4\nSolution validates\n"), "")

    def test_wrong_outputs_are_told(self):
        self.assertNotEqual(onesided.wrong_in_osu("# OSU MPI_Put Latency Test v7.4\n", False), "")
        self.assertNotEqual(onesided.wrong_in_osu(OSU, True), "")
        self.assertNotEqual(onesided.wrong_in_osu(CHECKED.replace("passed\n", "failed\n", 1), True), "")
        self.assertNotEqual(imb.wrong_in(IMB.replace("31.20         0.00", "31.20         1.00")), "")
        self.assertNotEqual(imb.wrong_in(IMB.replace("defects", "")), "")
        self.assertNotEqual(onesided.wrong_in_kernel("Number of ranks = 4\n"), "")


if __name__ == "__main__":
    unittest.main()
