"""bindings/generate.py: what it makes of a line of a calls file, and what it says of a wrong one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "bindings" / "generate.py"


def generate(text):
    """(C++ text or None, complaint) for one calls file."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "calls").mkdir()
        (folder / "calls" / "sample.calls").write_text(text)
        made = subprocess.run([sys.executable, str(GENERATOR), "--calls", str(folder / "calls"),
                               "--out", str(folder / "out")], capture_output=True, text=True)
        if made.returncode:
            return None, made.stderr
        return (folder / "out" / "sample.cpp").read_text(), ""


class Mistakes(unittest.TestCase):
    def complaint(self, text):
        code, complaint = generate(text)
        self.assertIsNone(code)
        self.assertIn("sample.calls:1: ", complaint)
        return complaint

    def test_an_unknown_function_is_named_with_what_was_meant(self):
        self.assertIn("did you mean MPI_Send?", self.complaint("MPI_Sent = p2p::send(buf)\n"))

    def test_an_unknown_parameter_is_named_with_those_there_are(self):
        complaint = self.complaint("MPI_Send = p2p::send(buf, count, datatyp, dest)\n")
        self.assertIn("MPI_Send has no parameter datatyp", complaint)
        self.assertIn("datatype", complaint)

    def test_a_large_twin_needs_no_line(self):
        self.assertIn("line of MPI_Send", self.complaint("MPI_Send_c = p2p::send(buf)\n"))

    def test_a_line_that_is_none_is_shown(self):
        self.assertIn("MPI_Send p2p::send", self.complaint("MPI_Send p2p::send(buf)\n"))

    def test_a_flag_that_is_none_is_named(self):
        self.assertIn("before_ini", self.complaint("MPI_Send before_ini = p2p::send(buf)\n"))

    def test_two_lines_for_one_function_name_the_first(self):
        code, complaint = generate("MPI_Send = a::b(buf)\n\nMPI_Send = c::d(buf)\n")
        self.assertIsNone(code)
        self.assertRegex(complaint, r"sample.calls:3: .*sample.calls:1")


class Shells(unittest.TestCase):
    def shell(self, text, name):
        """The text of PMPI_`name` made from a calls file."""
        code, complaint = generate(text)
        self.assertEqual(complaint, "")
        start = code.index(f"P{name}(")
        return code[start:code.index("\n}\n", start)]

    def test_the_large_twin_comes_from_the_same_line(self):
        line = "MPI_Send = p2p::send({buf, count, datatype}, {comm, dest, tag})\n"
        self.assertIn("const MPI_Count count = count_;", self.shell(line, "MPI_Send"))
        self.assertIn("MPI_Count count,", self.shell(line, "MPI_Send_c"))

    def test_a_line_goes_on_after_a_break_and_comments_are_dropped(self):
        text = "# why\nMPI_Barrier =\n  coll::barrier(\n    *comm)\n"
        self.assertIn("coll::barrier( *comm)", self.shell(text, "MPI_Barrier"))

    def test_the_communicator_is_looked_up_before_anything_else_can_fail(self):
        shell = self.shell("MPI_Send = p2p::send(buf, count, datatype, dest, tag, comm)\n", "MPI_Send")
        self.assertLess(shell.index("entry.comm(comm_)"), shell.index('"count"'))

    def test_what_only_the_root_uses_is_checked_only_there(self):
        shell = self.shell("MPI_Gather = coll::gather(*comm, root)\n", "MPI_Gather")
        self.assertIn("if (part.at_root && recvcount_ < 0)", shell)
        self.assertIn("if (!in_place && part.contributes && sendcount_ < 0)", shell)

    def test_in_place_is_an_error_where_the_standard_has_none(self):
        shell = self.shell("MPI_Bcast = coll::bcast(*comm, root)\n", "MPI_Bcast")
        self.assertNotIn("in_place", shell)
        self.assertIn("bad_buffer(buffer, count, datatype)", shell)

    def test_in_place_makes_the_other_send_arguments_meaningless(self):
        shell = self.shell("MPI_Alltoallv = coll::alltoallv(*comm)\n", "MPI_Alltoallv")
        for argument in ("sendcounts_", "sdispls_", "sendtype"):
            self.assertIn(f"if (!in_place && {argument} == nullptr)", shell)
        self.assertIn("if (rdispls_ == nullptr)", shell)

    def test_outputs_are_written_only_on_success(self):
        shell = self.shell("MPI_Comm_dup = comm_make::dup(*comm, &newcomm)\n", "MPI_Comm_dup")
        self.assertLess(shell.index("return fail("), shell.index("*newcomm_ ="))

    def test_wildcards_are_for_receives_only(self):
        send = self.shell("MPI_Send = p2p::send(dest, tag)\n", "MPI_Send")
        receive = self.shell("MPI_Recv = p2p::recv(source, tag)\n", "MPI_Recv")
        self.assertNotIn("MPI_ANY", send)
        self.assertIn("MPI_ANY_SOURCE", receive)
        self.assertIn("MPI_ANY_TAG", receive)

    def test_a_value_needs_no_checks(self):
        shell = self.shell("MPI_Wtime returns runtime::wtime()\n", "MPI_Wtime")
        self.assertNotIn("if (", shell)
        self.assertNotIn("entry", shell)

    def test_the_tools_interface_needs_no_mpi_and_calls_no_error_handler(self):
        line = "MPI_T_pvar_read = tool::pvar_read(pe_session, handle, buf)\n"
        shell = self.shell(line, "MPI_T_pvar_read")
        self.assertIn("!tools_are_open()", shell)
        self.assertIn("buf == nullptr", shell)
        self.assertIn("return tell(", shell)
        self.assertNotIn("running()", shell)
        self.assertNotIn("fail(", shell)

    def test_information_that_nobody_wants_has_no_place(self):
        line = "MPI_T_category_get_info = tool::f(cat_index, name, name_len)\n"
        self.assertNotIn("nullptr", self.shell(line, "MPI_T_category_get_info"))

    def test_queries_are_allowed_before_init_and_others_are_not(self):
        self.assertNotIn("running()", self.shell("MPI_Get_version = a::b(version, subversion)\n",
                                                 "MPI_Get_version"))
        self.assertIn("!entry.running()", self.shell("MPI_Barrier = a::b(*comm)\n", "MPI_Barrier"))


if __name__ == "__main__":
    unittest.main()
