"""The API table against itself: a call that starts an operation has the arguments of the call that performs it.

So what the table says of one of them (at which ranks it means something, in which direction it goes, its types in C and
Fortran) holds for all, except for arguments that only some have.
"""
import json
import pathlib
import re
import unittest

SPEC = pathlib.Path(__file__).resolve().parents[2] / "spec"
FUNCTIONS = {entry["name"]: entry for entry in json.loads((SPEC / "functions.json").read_text())}
FORTRAN = {entry["name"]: entry for entry in json.loads((SPEC / "fortran.json").read_text())}
FACTS = ("kind", "dir", "c", "large", "length", "large_only", "root_only")
# Arguments that one kind of call has and the other has not.
OF_ONE_KIND = {"request", "info", "status", "flag", "partitions"}


def performed_by(name):
    """The function that performs at once what this one starts, prepares or looks for; None: there is none."""
    stem = re.sub(r"_init$", "", name.removeprefix("MPI_"))
    for shorter in (stem, stem[1:].capitalize() if stem[0] in "IP" else None):
        if shorter and f"MPI_{shorter}" in FUNCTIONS and f"MPI_{shorter}" != name:
            return f"MPI_{shorter}"
    return None


PAIRS = [(name, performed_by(name)) for name in FUNCTIONS if performed_by(name)]


def parameters(name):
    return {parameter["name"]: parameter for parameter in FUNCTIONS[name]["params"]}


def differences(name, other):
    mine, others = parameters(name), parameters(other)
    for argument in sorted((mine.keys() ^ others.keys()) - OF_ONE_KIND):
        yield f"{argument} of only one of {name} and {other}"
    for argument in mine.keys() & others.keys():
        for fact in FACTS:
            if mine[argument].get(fact) != others[argument].get(fact):
                yield f"{argument} of {name}: {fact} is {mine[argument].get(fact)}, of {other} {others[argument].get(fact)}"


# C has them as the errata say, Fortran as the text does (docs/reference/conformance.md).
OLD_IN_FORTRAN = {("MPI_Psend_init", "count"), ("MPI_Precv_init", "count")}


def fortran_differences(name, other):
    for size in ("f08", "f08_c"):
        mine, others = (FORTRAN[one].get(size, {}) for one in (name, other))
        for argument in (mine.keys() & others.keys()) - OF_ONE_KIND:
            if (name, argument) in OLD_IN_FORTRAN:
                continue
            types = [re.sub(", (ASYNCHRONOUS|INTENT.*?[)])", "", one[argument]) for one in (mine, others)]
            if types[0] != types[1]:
                yield f"{argument} of {name} in Fortran: {types[0]}, of {other} {types[1]}"


class Table(unittest.TestCase):
    def test_there_are_pairs(self):
        self.assertIn(("MPI_Scatterv_init", "MPI_Scatterv"), PAIRS)
        self.assertIn(("MPI_Isend", "MPI_Send"), PAIRS)
        self.assertIn(("MPI_Precv_init", "MPI_Recv"), PAIRS)
        self.assertGreater(len(PAIRS), 60)

    def test_a_started_call_has_the_arguments_of_the_one_that_waits(self):
        self.assertEqual([text for pair in PAIRS for text in differences(*pair)], [])

    def test_in_fortran_too(self):
        self.assertEqual([text for pair in PAIRS for text in fortran_differences(*pair) if pair[0] in FORTRAN], [])

    def test_constants_go_in(self):
        """What C gets as const goes in, and no argument goes out that Fortran has with INTENT(IN)."""
        wrong = []
        for name, entry in FUNCTIONS.items():
            f08 = FORTRAN.get(name, {}).get("f08", {})
            for parameter in entry["params"]:
                intent = re.search(r"INTENT\((\w+)\)", f08.get(parameter["name"], ""))
                if "const " in parameter["c"] and parameter["dir"] != "in":
                    wrong.append(f"{parameter['name']} of {name} is const in C, and goes {parameter['dir']}")
                if intent and intent[1].lower() != parameter["dir"]:
                    wrong.append(f"{parameter['name']} of {name} goes {parameter['dir']}, in Fortran {intent[1]}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
