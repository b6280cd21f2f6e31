"""include/mpi.h against facts that do not come from our generator.

facts.txt has what a program sees through MPICH 5.0.2's mpi_abi.h (recorded by
oracle_test.py --record); functions.txt the standard's list of functions, in spec/chapters.json.
"""
import json
import pathlib
import re
import subprocess
import unittest

from header import HEADER, ROOT, compile_c, declared, values

FACTS = pathlib.Path(__file__).with_name("facts.txt").read_text()
PURE = (f"-I{ROOT}/include", "-DHEDDLE_PURE_ABI")
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")

# Calls with each constant that the standard allows in a pointer's or an array's place.
CONSTANTS = """#include <mpi.h>
void call(MPI_Comm comm, int n, int some[], MPI_Comm *made, MPI_Request requests[], char buffer[], MPI_Datatype types[]) {
  MPI_Dist_graph_create(comm, n, some, some, some, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  MPI_Dist_graph_create(comm, 0, some, some, some, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, made);
  MPI_Dist_graph_create_adjacent(comm, n, some, MPI_UNWEIGHTED, n, some, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  MPI_Dist_graph_create_adjacent(comm, 0, some, MPI_WEIGHTS_EMPTY, 0, some, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, made);
  MPI_Dist_graph_neighbors(comm, n, some, MPI_UNWEIGHTED, n, some, MPI_UNWEIGHTED);
  MPI_Dist_graph_neighbors(comm, 0, some, MPI_WEIGHTS_EMPTY, 0, some, MPI_WEIGHTS_EMPTY);
  MPI_Comm_spawn("app", MPI_ARGV_NULL, n, MPI_INFO_NULL, 0, comm, made, MPI_ERRCODES_IGNORE);
  MPI_Comm_spawn_multiple(0, 0, MPI_ARGVS_NULL, some, 0, 0, comm, made, MPI_ERRCODES_IGNORE);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  MPI_Recv(MPI_BOTTOM, n, types[0], 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Alltoallw(MPI_IN_PLACE, 0, 0, 0, buffer, some, some, types, comm);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, some, some, types[0], comm);
  MPI_Reduce_scatter(MPI_IN_PLACE, buffer, some, types[0], MPI_SUM, comm);
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, some, 0);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, some, 0);
}
"""


def constants_of(facts):
    return [line.split()[0] for line in facts.splitlines() if line.startswith("MPI")]


class Header(unittest.TestCase):
    def test_constants_sizes_and_offsets_are_the_abis(self):
        self.assertGreater(len(constants_of(FACTS)), 350)
        self.assertEqual(values("<mpi.h>", constants_of(FACTS), *PURE), FACTS)

    def test_every_function_of_the_standard_is_declared_with_its_twin_and_no_other(self):
        text = HEADER.read_text()
        abi = text[:text.index("---- 2.")]
        names = set(declared(abi))
        bases = {n for chapter in json.loads((ROOT / "spec/chapters.json").read_text()).values()
                 for n in chapter if not re.search("_(c2f|f2c)$", n)}
        plain = {n for n in names if not n.startswith("P")}
        self.assertEqual(len(plain), 664)
        self.assertEqual({n for n in plain if n.removesuffix("_c") not in bases}, set())
        self.assertEqual({n.removeprefix("P") for n in names - plain}, plain)

    def test_datatypes_of_fixed_size_carry_their_size_in_the_handle(self):
        # Bits 3 to 5 of 0b10_01_sss_xxx and 0b10_11_sss_xxx are the logarithm of the size.
        sizes = {"INT8_T": 1, "INT16_T": 2, "INT32_T": 4, "INT64_T": 8, "UINT64_T": 8, "BYTE": 1,
                 "CHAR": 1, "REAL4": 4, "REAL16": 16, "COMPLEX8": 8, "INTEGER2": 2, "LOGICAL8": 8}
        facts = dict(line.rsplit(" ", 1) for line in FACTS.splitlines())
        for name, size in sizes.items():
            self.assertEqual(1 << (int(facts[f"MPI_{name}"]) >> 3 & 7), size, name)

    def test_compiles_without_a_warning_in_old_and_new_c(self):
        for standard in ("c99", "c11", "gnu17"):
            for macros in ([], ["-DHEDDLE_PURE_ABI"], ["-DHEDDLE_MPI1"]):
                flags = [f"-std={standard}", *STRICT, *macros, f"-I{ROOT}/include"]
                self.assertEqual(compile_c("#include <mpi.h>\nint main(void) { return 0; }\n", *flags), "")

    def test_calls_with_the_standards_constants_compile_without_a_warning(self):
        # Not -fsyntax-only: gcc looks for accesses out of bounds when it makes code.
        for level in ("-O0", "-O2"):
            self.assertEqual(compile_c(CONSTANTS, level, *STRICT, f"-I{ROOT}/include", only="-c"), "")

    def test_compiles_without_a_warning_in_old_and_new_cplusplus(self):
        for standard in ("c++11", "c++20"):
            for macros in ([], ["-DHEDDLE_PURE_ABI"], ["-DHEDDLE_MPI1"]):
                command = ["c++", "-x", "c++", f"-std={standard}", *STRICT, *macros, "-fsyntax-only",
                           f"-I{ROOT}/include", "-"]
                made = subprocess.run(command, input="#include <mpi.h>\nint main() { return MPI_SUCCESS; }\n",
                                      capture_output=True, text=True)
                self.assertEqual(made.stderr, "")

    def test_the_pure_abi_has_no_fortran_integers(self):
        source = "#include <mpi.h>\nMPI_Fint f;\n"
        self.assertEqual(compile_c(source, f"-I{ROOT}/include"), "")
        self.assertIn("MPI_Fint", compile_c(source, *PURE))

    def test_the_names_of_mpi1_exist_only_when_asked_for(self):
        source = ("#include <mpi.h>\nint main(void) {\n"
                  "  MPI_Datatype t, types[2] = {MPI_INT, MPI_UB};\n"
                  "  int lengths[2] = {1, 1};\n  MPI_Aint where[2] = {0, 16}, extent;\n"
                  "  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n"
                  "  MPI_Address(&t, &extent);\n"
                  "  MPI_Type_struct(2, lengths, where, types, &t);\n"
                  "  return MPI_Type_extent(t, &extent);\n}\n")
        self.assertEqual(compile_c(source, "-DHEDDLE_MPI1", *STRICT, f"-I{ROOT}/include"), "")
        self.assertIn("MPI_UB", compile_c(source, f"-I{ROOT}/include"))


if __name__ == "__main__":
    unittest.main()
